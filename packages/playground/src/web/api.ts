import type { OptionsAnswer, PanelAnswer, UploadAnswer } from '../protocol/answers.ts'
import type * as Protocol from '../protocol/protocol.ts'
import type { PageEvent } from './state.ts'

export const NO_RESPONSE: Protocol.ErrorResponse = {
  ok: false,
  error: 'no_response',
  message: 'The playground isn’t responding. Check whether it is still running.',
}

async function sendPost<T>(
  path: string,
  body: BodyInit,
  headers: Record<string, string>,
): Promise<T | Protocol.ErrorResponse> {
  try {
    const response = await fetch(`/_playground/${path}`, {
      method: 'POST',
      headers: { 'x-playground': '1', ...headers },
      body,
    })
    // Safe cast: the protocol defines the response of each path, and of rejected posts.
    return (await response.json()) as T | Protocol.ErrorResponse
  } catch {
    return NO_RESPONSE
  }
}

function post<T = Protocol.Outcome>(path: string, body: object): Promise<T | Protocol.ErrorResponse> {
  return sendPost<T>(path, JSON.stringify(body), { 'content-type': 'application/json' })
}

/** A post's body without `user`, which the client adds. */
type BodyWithoutUser<K extends Protocol.PostPath> = Omit<Protocol.PostBody<K>, 'user'>

/**
 * The requests that the page sends on behalf of `user`. They never throw: a failed post resolves to `{ok: false, message}`.
 */
export function createClient(user: string) {
  return {
    command: (body: BodyWithoutUser<'command'>) => post('command', { user, ...body }),
    message: (body: BodyWithoutUser<'message'>) => post('message', { user, ...body }),
    action: (body: BodyWithoutUser<'action'>) => post('action', { user, ...body }),
    options: (body: BodyWithoutUser<'options'>) => post<OptionsAnswer>('options', { user, ...body }),
    submit: (body: BodyWithoutUser<'submit'>) => post('submit', { user, ...body }),
    close: (body: BodyWithoutUser<'close'>) => post('close', { user, ...body }),
    shortcut: (body: BodyWithoutUser<'shortcut'>) => post('shortcut', { user, ...body }),
    home: (body: BodyWithoutUser<'home'>) => post('home', { user, ...body }),
    // Picks the fields, because callers pass whole messages, in which `user` is the author.
    dismiss: ({ channel, ts }: BodyWithoutUser<'dismiss'>) => post('dismiss', { user, channel, ts }),
    panel: (body: BodyWithoutUser<'panel'>) => post<PanelAnswer>('panel', { user, ...body }),
    upload: (file: File) =>
      sendPost<UploadAnswer>(`upload?${new URLSearchParams({ user, name: file.name })}`, file, {
        'content-type': file.type || 'application/octet-stream',
      }),
  }
}

export type Client = ReturnType<typeof createClient>

/** Sends the browser's time zone, which people then have in Slack. */
export async function sendTimeZone(): Promise<void> {
  await post('zone', { tz: Intl.DateTimeFormat().resolvedOptions().timeZone })
}

/** Loads the state visible to `user`, or to the first person if `user` is undefined or unknown. Throws if the request fails. */
export async function loadSnapshot(
  user: string | undefined,
  signal: AbortSignal,
): Promise<Protocol.Snapshot> {
  const query = new URLSearchParams({
    ...(user !== undefined && { user }),
  })
  const response = await fetch(`/_playground/state?${query}`, { signal })
  if (response.status === 400 && user !== undefined) return loadSnapshot(undefined, signal)
  if (!response.ok) throw new Error(`The playground responded with ${response.status}.`)
  // Safe cast: the protocol defines this response.
  return (await response.json()) as Protocol.Snapshot
}

/** Follows the events after `seq` until one says that the page must load a new snapshot. Throws if the connection is lost. */
export async function followEvents(
  user: string,
  seq: number,
  dispatch: (event: PageEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let after = seq; ; ) {
    const query = new URLSearchParams({ user, after: String(after), wait: '30000', deliveries: '0' })
    const response = await fetch(`/_playground/events?${query}`, { signal })
    // Safe cast: the protocol defines this response.
    const page = (await response.json()) as Protocol.EventPage
    const events = page.events.map(({ event }) => event)
    if (events.some(({ type }) => type === 'reset')) return
    dispatch({ type: 'server', events })
    after = page.seq
  }
}
