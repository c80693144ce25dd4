/**
 * What was used. A `responseUrl` takes five answers within 30 minutes; a `triggerId` opens one window within 3 s; an answer
 * belongs in the thread that it was asked in.
 */
export type Surface =
  /** A typed command. */
  | { kind: 'command'; responseUrl: string; triggerId: string }
  /** A button on a message, or an entry of a message's menu. Ephemeral: one person alone sees the message. */
  | { kind: 'message'; responseUrl?: string; triggerId?: string; threadTs?: string; isEphemeral: boolean }
  /** A button in a window, or a submitted window: what opens next is on top of it. */
  | { kind: 'window'; modalId: string; triggerId?: string }
  | { kind: 'home'; triggerId?: string }
  /** Words that somebody wrote to the app, in a channel or directly. */
  | { kind: 'mention'; threadTs?: string }
  /** Nobody waits for the answer: Slack itself sent the request, or its person has stopped waiting. */
  | { kind: 'none'; threadTs?: string }

/** The ways to answer that any surface may have; a reader asks for those that it can use. */
export interface WaysToAnswer {
  responseUrl?: string
  triggerId?: string
  modalId?: string
  threadTs?: string
}

/** For requests without a person who waits. */
export const NO_SURFACE: Surface = { kind: 'none' }

/** The surface after its person has stopped waiting: the trigger is dead, and nobody reads the command's own answer. */
export function laterOn(surface: Surface): Surface {
  if (surface.kind === 'window') return { kind: 'window', modalId: surface.modalId }
  const { threadTs }: WaysToAnswer = surface
  return present({ kind: 'none' as const, threadTs })
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The fields without those that are undefined. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Partial<T> = {}
  // Written out by hand: Object.entries would make arrays for every request, up to three times.
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name]
  // What is left has every required field, and no undefined one.
  return kept as unknown as Present<T>
}
