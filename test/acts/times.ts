/** The duration of a lease that isn't renewed. */
export const LEASE_MS = 800
/** The timeout of a call to the service. */
export const CALL_TIMEOUT_MS = 1500
/** How long after its start a write has certainly ended. Longer than any call and any delay of the service. */
export const SETTLE_MS = 2500
/** How long a process may pause and still trust its timers. Less than the difference between the call timeout and `SETTLE_MS`. */
export const MAX_PAUSE_MS = 500
