/** Slack gives the payload of metadata to every app and person of the workspace: it holds the mark and nothing else. */
const EVENT_TYPE = 'signalman_message'

export const messageMetadata = (mark: string) => ({ event_type: EVENT_TYPE, event_payload: { id: mark } })

/** The mark of a message, read from the metadata that Slack has of it. */
export function markOf({ metadata }: Readonly<Record<string, unknown>>): unknown {
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const { event_type, event_payload } = metadata as { event_type?: unknown; event_payload?: unknown }
  if (event_type !== EVENT_TYPE || typeof event_payload !== 'object' || event_payload === null)
    return undefined
  return (event_payload as { id?: unknown }).id
}
