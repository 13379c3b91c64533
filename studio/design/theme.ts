/** What the library's components are like here, unless one says otherwise. Colours and sizes are in tokens.css. */
import { createTheme } from '@mantine/core';

const FIELD = { withAsterisk: false, size: 'sm' } as const;
/** The page itself doesn't scroll, and dialogs are there at once. */
const OVERLAY = { lockScroll: false, transitionProps: { duration: 0 } } as const;

export const theme = createTheme({
  respectReducedMotion: true,
  defaultRadius: 'sm',
  components: {
    Button: { defaultProps: { variant: 'default', size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    CloseButton: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: FIELD },
    PasswordInput: { defaultProps: FIELD },
    Textarea: { defaultProps: FIELD },
    NativeSelect: { defaultProps: FIELD },
    Autocomplete: { defaultProps: FIELD },
    Checkbox: { defaultProps: { size: 'sm' } },
    Stack: { defaultProps: { gap: 'sm' } },
    Group: { defaultProps: { gap: 'sm' } },
    Modal: { defaultProps: { ...OVERLAY, size: 'lg', closeButtonProps: { 'aria-label': 'Close' } } },
    Spotlight: { defaultProps: OVERLAY },
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 0 } } },
    Combobox: { defaultProps: { shadow: 'md', transitionProps: { duration: 0 } } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 0 } } },
    Table: { defaultProps: { highlightOnHover: true, stickyHeader: true, verticalSpacing: 6 } },
    Tabs: { defaultProps: { keepMounted: false } },
  },
});
