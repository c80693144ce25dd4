/** One request that the app has made of somebody else, and what came of it. */
export interface OutgoingCall {
  to: 'slack' | 'service'
  /** Of Slack the method, such as `chat.postMessage`; of the service `GET`, `POST` and so on. */
  method: string
  /** Of the service: where, without the query. */
  path?: string
  /** `ok`, or what was wrong: a status, Slack's code, or what the network did. */
  outcome: string
  ms: number
}

export type ObserveCall = (call: OutgoingCall) => void

/** Times a call and tells of it, however it ends. `outcomeOf` names a failure. */
export async function observed<T>(
  observe: ObserveCall | undefined,
  call: Pick<OutgoingCall, 'to' | 'method' | 'path'>,
  work: () => Promise<T>,
  outcomeOf: (error: unknown) => string,
): Promise<T> {
  if (!observe) return work()
  const since = performance.now()
  const tell = (outcome: string) => observe({ ...call, outcome, ms: performance.now() - since })
  try {
    const done = await work()
    tell('ok')
    return done
  } catch (error) {
    tell(outcomeOf(error))
    throw error
  }
}
