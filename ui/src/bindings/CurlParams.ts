/**
 * A delivery as a curl command.
 */
export type CurlParams = { 
/**
 * The delivery's number.
 */
seq: number, 
/**
 * Sensitive header values as they came, not masked.
 */
reveal: boolean, };
