import type * as Protocol from '../protocol.ts'

export const SILENT: Protocol.Refusal = {
  ok: false,
  error: 'no_answer',
  message: 'The playground does not answer. See whether it still runs in its terminal.',
}

async function send<T>(
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
    // The protocol's answers; a refused post has the shape of Protocol.Refusal.
    return (await response.json()) as T | Protocol.Refusal
  } catch {
    return SILENT
  }
}

/** Undefined when there is no answer, or a refusal: whoever reads again later loses nothing. */
async function read<T>(path: string): Promise<T | undefined> {
  try {
    const response = await fetch(`/_playground/${path}`)
    // The protocol's answer to this path.
    return response.ok ? ((await response.json()) as T) : undefined
  } catch {
    return undefined
  }
}

function post<T = Protocol.Outcome>(path: string, body: object): Promise<T | Protocol.Refusal> {
  return send<T>(path, JSON.stringify(body), { 'content-type': 'application/json' })
}

type As<T extends { user: string }> = Omit<T, 'user'>

/** Everything the page does, as one person. Nothing rejects: what goes wrong comes back as `ok: false` with a sentence. */
export function createClient(user: string) {
  return {
    command: (body: As<Protocol.CommandPost>) => post('command', { user, ...body }),
    message: (body: As<Protocol.MessagePost>) => post('message', { user, ...body }),
    edit: (body: As<Protocol.EditPost>) => post('edit', { user, ...body }),
    remove: ({ channel, ts }: As<Protocol.MessageSpot>) => post('delete', { user, channel, ts }),
    history: (query: { channel: string; before?: string; thread?: string }) =>
      read<Protocol.HistoryPage>(`history?${new URLSearchParams({ user, ...query })}`),
    react: (body: As<Protocol.ReactPost>) => post('react', { user, ...body }),
    pin: (body: As<Protocol.PinPost>) => post('pin', { user, ...body }),
    membership: (body: As<Protocol.MemberPost>) => post('membership', { user, ...body }),
    links: (urls: string[]) => post('links', { user, urls }),
    thread: (from: string) => post('thread', { user, from }),
    step: (body: As<Protocol.StepPost>) => post('step', { user, ...body }),
    tools: (body: As<Protocol.ToolPost>) => post<Protocol.ToolAnswer>('tools', { user, ...body }),
    entity: (body: As<Protocol.EntityPost>) => post('entity', { user, ...body }),
    entityAction: (body: As<Protocol.EntityActionPost>) => post('entity-action', { user, ...body }),
    action: (body: As<Protocol.ActionPost>) => post('action', { user, ...body }),
    options: (body: As<Protocol.OptionsPost>) => post<Protocol.OptionsAnswer>('options', { user, ...body }),
    submit: (body: As<Protocol.SubmitPost>) => post('submit', { user, ...body }),
    close: (body: As<Protocol.ClosePost>) => post('close', { user, ...body }),
    shortcut: (body: As<Protocol.ShortcutPost>) => post('shortcut', { user, ...body }),
    home: (body: As<Protocol.HomePost>) => post('home', { user, ...body }),
    // A whole message may be given, whose own `user` is its author.
    dismiss: ({ channel, ts }: As<Protocol.MessageSpot>) => post('dismiss', { user, channel, ts }),
    record: (on: boolean) => post('record', { on }),
    recording: () => read<Protocol.Json>('recording'),
    panel: (body: As<Protocol.PanelPost>) => post<Protocol.PanelAnswer>('panel', { user, ...body }),
    redeliver: (deliveryId: string) => post<Protocol.RedeliverAnswer>('redeliver', { deliveryId }),
    upload: (file: File) =>
      send<Protocol.UploadAnswer>(`upload?${new URLSearchParams({ user, name: file.name })}`, file, {
        'content-type': file.type || 'application/octet-stream',
      }),
  }
}

export type Client = ReturnType<typeof createClient>

/** How many messages of each channel the page starts with; older ones come when somebody scrolls up to them. */
const FIRST_MESSAGES = 100

/** What is there now for this person; without a name, for the first one. Throws when there is no answer. */
export async function loadSnapshot(
  user: string | undefined,
  signal: AbortSignal,
): Promise<Protocol.Snapshot> {
  const query = new URLSearchParams({ history: String(FIRST_MESSAGES), ...(user !== undefined && { user }) })
  const response = await fetch(`/_playground/state?${query}`, { signal })
  if (response.status === 400 && user !== undefined) return loadSnapshot(undefined, signal)
  if (!response.ok) throw new Error(`The playground answered ${response.status}.`)
  // The protocol's answer to this path.
  return (await response.json()) as Protocol.Snapshot
}

/** Follows what happens after `seq`. `onLost` is called once, when the connection breaks; the stream is closed then. */
export function openStream(
  user: string,
  seq: number,
  onEvent: (event: Protocol.PlaygroundEvent) => void,
  onLost: () => void,
): () => void {
  const stream = new EventSource(`/_playground/stream?${new URLSearchParams({ user, after: String(seq) })}`)
  // The protocol's events.
  stream.onmessage = (message: MessageEvent<string>) =>
    onEvent(JSON.parse(message.data) as Protocol.PlaygroundEvent)
  stream.onerror = () => {
    stream.close()
    onLost()
  }
  return () => stream.close()
}
