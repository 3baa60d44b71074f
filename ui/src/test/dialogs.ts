import { screen, waitFor, within } from '@testing-library/svelte';
import type { UserEvent } from '@testing-library/user-event';
import { expect } from 'vitest';

/** Answers the question that is open by one of its buttons, and waits until the page can be used again. */
export async function answer(user: UserEvent, name: string): Promise<void> {
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name }));
  await unlocked();
}

/** Waits until no dialog holds the page. */
export async function unlocked(): Promise<void> {
  for (const role of ['alertdialog', 'dialog'])
    await waitFor(() => expect(screen.queryByRole(role)).toBeNull());
}
