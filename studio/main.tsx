/** The Studio: see docs/guides/studio.md. */
import './design/tokens.css';
import './design/base.css';
import './design/components.css';
import './design/frame.css';
import { render } from 'preact';
import { comeBack } from '../pages/provider-sign-in.js';
import { App } from './frame/app.js';
import { enter, farewell } from './session/session.js';

comeBack()?.then(enter, (thrown: Error) => {
  farewell.value = thrown.message;
});
render(<App />, document.getElementById('studio') as HTMLElement);
