/** The Studio: see docs/guides/studio.md. */
import './design/library.css';
import './design/tokens.css';
import './design/base.css';
import './design/components.css';
import './design/frame.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { comeBack } from '../pages/provider-sign-in.js';
import { nonce } from './base/nonce.js';
import { theme } from './design/theme.js';
import { App } from './frame/app.js';
import { shareSignIn } from './session/other-tabs.js';
import { enter, farewell } from './session/session.js';

const returning = comeBack();
if (returning === undefined) shareSignIn();
else {
  returning.then(enter, (thrown: Error) => {
    farewell.value = thrown.message;
  });
}

const colorSchemes = localStorageColorSchemeManager({ key: 'tessera:studio:color-scheme' });
createRoot(document.getElementById('studio') as HTMLElement).render(
  // Variables are in design/, so that no style has to be made while the page is open.
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    colorSchemeManager={colorSchemes}
    withCssVariables={false}
    withGlobalClasses={false}
    getStyleNonce={() => nonce}
  >
    <App />
  </MantineProvider>,
);
