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
    membership: (body: BodyWithoutUser<'membership'>) => post('membership', { user, ...body }),
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

/** Events that arrive within this time are rendered together, such as a request, its response, and the message that it posts. */
const BATCH_MS = 20

interface StreamHandlers {
  dispatch: (event: PageEvent) => void
  /** Called when the page must load a new snapshot. */
  onReset: () => void
  /** Called once, after the connection is lost. */
  onLost: () => void
}

/** Subscribes to the events after `seq`. Returns a function that closes the stream. */
export function openStream(
  user: string,
  seq: number,
  { dispatch, onReset, onLost }: StreamHandlers,
): () => void {
  const stream = new EventSource(`/_playground/stream?${new URLSearchParams({ user, after: String(seq) })}`)
  let pending: Protocol.PlaygroundEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    dispatch({ type: 'server', events: pending })
    pending = []
    timer = undefined
  }
  const close = () => {
    stream.close()
    clearTimeout(timer)
  }
  stream.onmessage = (message: MessageEvent<string>) => {
    // Safe cast: the protocol defines the events.
    const event = JSON.parse(message.data) as Protocol.PlaygroundEvent
    if (event.type === 'reset') return onReset()
    pending.push(event)
    timer ??= setTimeout(flush, BATCH_MS)
  }
  stream.onerror = () => {
    stream.close()
    onLost()
  }
  return close
}
