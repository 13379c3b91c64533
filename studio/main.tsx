/** The Studio: see docs/guides/studio.md. */
import './design/tokens.css';
import './design/base.css';
import './design/components.css';
import './design/frame.css';
import { render } from 'preact';
import { App } from './frame/app.js';

render(<App />, document.getElementById('studio') as HTMLElement);
