import type * as Protocol from '../protocol.ts'

export const NO_ANSWER: Protocol.Refusal = {
  ok: false,
  error: 'no_answer',
  message: 'The playground isn’t responding. Check whether it is still running.',
}

async function sendPost<T>(
  path: string,
  body: BodyInit,
  headers: Record<string, string>,
): Promise<T | Protocol.Refusal> {
  try {
    const response = await fetch(`/_playground/${path}`, {
      method: 'POST',
      headers: { 'x-playground': '1', ...headers },
      body,
    })
    // As defined by the protocol; refused posts are answered with a Refusal.
    return (await response.json()) as T | Protocol.Refusal
  } catch {
    return NO_ANSWER
  }
}

/** Reads JSON. Returns undefined if there is no answer or a refusal, because the page can read it again later. */
async function getJson<T>(path: string): Promise<T | undefined> {
  try {
    const response = await fetch(`/_playground/${path}`)
    // As defined by the protocol for this path.
    return response.ok ? ((await response.json()) as T) : undefined
  } catch {
    return undefined
  }
}

function post<T = Protocol.Outcome>(path: string, body: object): Promise<T | Protocol.Refusal> {
  return sendPost<T>(path, JSON.stringify(body), { 'content-type': 'application/json' })
}

/** A post without `user`, which the client adds. */
type OwnPost<K extends Protocol.PostPath> = Omit<Protocol.PostBody<K>, 'user'>

/** Everything that the page does as one person. Never rejects: failures are returned as `ok: false` with a sentence. */
export function createClient(user: string) {
  return {
    command: (body: OwnPost<'command'>) => post('command', { user, ...body }),
    message: (body: OwnPost<'message'>) => post('message', { user, ...body }),
    edit: (body: OwnPost<'edit'>) => post('edit', { user, ...body }),
    remove: ({ channel, ts }: OwnPost<'delete'>) => post('delete', { user, channel, ts }),
    history: (query: { channel: string; before?: string; thread?: string }) =>
      getJson<Protocol.HistoryPage>(`history?${new URLSearchParams({ user, ...query })}`),
    react: (body: OwnPost<'react'>) => post('react', { user, ...body }),
    pin: (body: OwnPost<'pin'>) => post('pin', { user, ...body }),
    membership: (body: OwnPost<'membership'>) => post('membership', { user, ...body }),
    links: (urls: string[]) => post('links', { user, urls }),
    startThread: (channel: string) => post('thread', { user, from: channel }),
    step: (body: OwnPost<'step'>) => post('step', { user, ...body }),
    tools: (body: OwnPost<'tools'>) => post<Protocol.ToolAnswer>('tools', { user, ...body }),
    entity: (body: OwnPost<'entity'>) => post('entity', { user, ...body }),
    entityAction: (body: OwnPost<'entity-action'>) => post('entity-action', { user, ...body }),
    action: (body: OwnPost<'action'>) => post('action', { user, ...body }),
    options: (body: OwnPost<'options'>) => post<Protocol.OptionsAnswer>('options', { user, ...body }),
    submit: (body: OwnPost<'submit'>) => post('submit', { user, ...body }),
    close: (body: OwnPost<'close'>) => post('close', { user, ...body }),
    shortcut: (body: OwnPost<'shortcut'>) => post('shortcut', { user, ...body }),
    home: (body: OwnPost<'home'>) => post('home', { user, ...body }),
    // Picks the fields, because callers pass whole messages, in which `user` is the author.
    dismiss: ({ channel, ts }: OwnPost<'delete'>) => post('dismiss', { user, channel, ts }),
    record: (on: boolean) => post('record', { on }),
    recording: () => getJson<Protocol.Json>('recording'),
    panel: (body: OwnPost<'panel'>) => post<Protocol.PanelAnswer>('panel', { user, ...body }),
    redeliver: (deliveryId: string) => post<Protocol.RedeliverAnswer>('redeliver', { deliveryId }),
    upload: (file: File) =>
      sendPost<Protocol.UploadAnswer>(`upload?${new URLSearchParams({ user, name: file.name })}`, file, {
        'content-type': file.type || 'application/octet-stream',
      }),
  }
}

export type Client = ReturnType<typeof createClient>

/** How many messages of each channel the page loads at first. It loads older ones when the person scrolls up. */
const INITIAL_MESSAGE_COUNT = 100

/** Sends the browser's time zone, which applies to everyone without a time zone of their own. */
export async function sendTimeZone(): Promise<void> {
  await post('zone', { tz: Intl.DateTimeFormat().resolvedOptions().timeZone })
}

/** Loads the current state for a person, or for the first one if undefined or unknown. Throws if there is no answer. */
export async function loadSnapshot(
  user: string | undefined,
  signal: AbortSignal,
): Promise<Protocol.Snapshot> {
  const query = new URLSearchParams({
    history: String(INITIAL_MESSAGE_COUNT),
    ...(user !== undefined && { user }),
  })
  const response = await fetch(`/_playground/state?${query}`, { signal })
  if (response.status === 400 && user !== undefined) return loadSnapshot(undefined, signal)
  if (!response.ok) throw new Error(`The playground answered ${response.status}.`)
  // As defined by the protocol for this path.
  return (await response.json()) as Protocol.Snapshot
}

/** Follows the events after `seq`. Calls `onLost` once when the connection breaks, and closes the stream. */
export function openStream(
  user: string,
  seq: number,
  onEvent: (event: Protocol.PlaygroundEvent) => void,
  onLost: () => void,
): () => void {
  const stream = new EventSource(`/_playground/stream?${new URLSearchParams({ user, after: String(seq) })}`)
  // As defined by the protocol.
  stream.onmessage = (message: MessageEvent<string>) =>
    onEvent(JSON.parse(message.data) as Protocol.PlaygroundEvent)
  stream.onerror = () => {
    stream.close()
    onLost()
  }
  return () => stream.close()
}
