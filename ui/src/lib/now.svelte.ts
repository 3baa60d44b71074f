import { createSubscriber } from 'svelte/reactivity';

/** How often what counts down is drawn anew, in milliseconds. */
const TICK_MS = 250;

const ticking = createSubscriber((update) => {
  const timer = setInterval(update, TICK_MS);
  return () => clearInterval(timer);
});

/** The wall clock in milliseconds; what reads it in a component is drawn anew as it goes on. */
export function now(): number {
  ticking();
  return Date.now();
}
