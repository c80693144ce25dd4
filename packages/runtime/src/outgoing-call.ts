import { traced } from './cause.ts'

/** One request that the app has made of somebody else, and what came of it. */
export interface OutgoingCall {
  to: 'slack' | 'service' | 'anchor'
  /** Of Slack the method, such as `chat.postMessage`; of the others `GET`, `POST` and so on. */
  method: string
  /** Of the service: where, without the query. */
  path?: string
  /** The same with names for its ids. */
  route?: string
  /** `ok`, or what was wrong: a status, Slack's code, or what the network did. */
  outcome: string
  /** Of HTTP, where an answer came. */
  status?: number | undefined
  /** 1 is the first. */
  attempt?: number
  ms: number
}

export type ObserveCall = (call: OutgoingCall) => void

/** Times a call that is one span and tells of it, however it ends. `outcomeOf` names a failure, by a code. */
export function observed<T>(
  observe: ObserveCall | undefined,
  { to, method }: Pick<OutgoingCall, 'to' | 'method'>,
  work: () => Promise<T>,
  outcomeOf: (error: unknown) => string,
): Promise<T> {
  const attributes = { 'rpc.system.name': to, 'rpc.method': method }
  const since = performance.now()
  const tell = (outcome: string) => observe?.({ to, method, outcome, ms: performance.now() - since })
  const told = async (): Promise<T> => {
    try {
      const done = await work()
      tell('ok')
      return done
    } catch (error) {
      tell(outcomeOf(error))
      throw error
    }
  }
  return traced({ name: `${to} ${method}`, kind: 'client', attributes }, told, outcomeOf)
}
