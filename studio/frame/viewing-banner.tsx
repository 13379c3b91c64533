/** The banner on every page that another user's view is shown, with the button that ends it. */
import { Button, Group } from '@mantine/core';
import { EyeIcon } from '@primer/octicons-react';
import { describeUser, type ViewedUser } from '../connection/viewed-user.js';
import { viewing } from '../session/viewing.js';

export function ViewingBanner({ user }: { readonly user: ViewedUser }) {
  return (
    <Group component="section" className="viewing" aria-label="View as another user">
      <EyeIcon size={20} />
      <span>You see what {describeUser(user)} would see. Nothing can be changed.</span>
      <Button
        onClick={() => {
          viewing.value = undefined;
        }}
      >
        End the view
      </Button>
    </Group>
  );
}
