/** How long work belongs to a process that doesn't renew its lease. */
export const LEASE_MS = 800
/** The timeout of a call to the service. */
export const CALL_TIMEOUT_MS = 1500
/** After this time, a write has ended. Longer than any call and any delay of the service. */
export const SETTLE_MS = 2500
/** How long a process may pause and still trust its timers. Less than the difference between the call timeout and `SETTLE_MS`. */
export const MAX_PAUSE_MS = 500
