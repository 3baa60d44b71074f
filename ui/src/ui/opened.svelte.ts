/**
 * Whether something was ever open. Most dialogs, menus and popovers never are, and each would be built with its page.
 * To be made while a component is.
 */
export class Opened {
  ever = $state(false);

  constructor(open: () => boolean) {
    $effect.pre(() => {
      if (open()) this.ever = true;
    });
  }
}
