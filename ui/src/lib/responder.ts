import type { Responder } from '$bindings/Responder';

/** What each responder does, as a sentence. */
export const RESPONDERS: Record<Responder['kind'], string> = {
  claim: 'Verifies, claims by insert, answers 204 to a first delivery and to a duplicate.',
  naive: 'The fault, to be seen: looks for the job, pauses, and inserts later.',
  status: 'Answers every delivery with this status; claims are still made.',
  forward: 'Sends every delivery on to your handler, byte for byte, and its answer back; both are kept.',
};
