// Stripe's own library: `constructEvent` verifies the raw body and its time, and parses it.

import { Stripe } from "../../oracles/providers.mjs";

const stripe = new Stripe("sk_test_never_used");

/** `act(event)` decides about a delivery that Stripe signed; everything else is refused as Stripe's examples do. */
export function withEvent(act) {
  return async ({ headers, body }) => {
    let event;
    try {
      event = stripe.webhooks.constructEvent(body, headers["stripe-signature"], process.env.HOOK_SECRET);
    } catch {
      // A signature that does not match, or a body that is no JSON.
      return 400;
    }
    return act(event);
  };
}
