/** How long work stays a process's own without a sign of life. */
export const LEASE_MS = 800
/** The longest that a call to the service may take. */
export const CALLS_MS = 1500
/** After so long a write that was begun is surely over: longer than any call, and than any delay at the service. */
export const SETTLE_MS = 2500
/** Less than what is left between the two. */
export const STANDSTILL_MS = 500
