/** The frame around the views: the side bar, the bar above, and what belongs to every page. */

import { useStore } from '../base/store.js';
import { focusView } from '../components/focus-view.js';
import { Loading } from '../components/loading.js';
import { Notice } from '../components/notice.js';
import { Toasts } from '../components/toast.js';
import type { SignedIn } from '../session/session.js';
import { viewing } from '../session/viewing.js';
import { CommandPalette } from './command-palette.js';
import { SideBar } from './side-bar.js';
import { TopBar } from './top-bar.js';
import { useConnection } from './use-connection.js';
import { ViewFrame } from './view-frame.js';
import { ViewingBanner } from './viewing-banner.js';

export function SignedInApp({ session }: { readonly session: SignedIn }) {
  const viewed = useStore(viewing);
  const { connection, error } = useConnection(session, viewed);
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={focusView}>
        Skip to the view
      </button>
      <SideBar level={session.level} />
      <TopBar session={session} connection={connection} />
      {viewed !== undefined && <ViewingBanner user={viewed} />}
      <main id="view" tabIndex={-1}>
        {error !== undefined && <Notice kind="error">The server can’t be reached: {error.message}</Notice>}
        {connection === undefined ? error === undefined && <Loading /> : <ViewFrame connection={connection} />}
      </main>
      <CommandPalette level={session.level} connection={connection} />
      <Toasts />
    </div>
  );
}
