/** What one way to end means to the audit log, the file of what was before, and the person. */
interface EndRules {
  readonly audited: 'done' | 'failed' | 'unknown'
  /** Whether the check may not be what it was, so that the file of what was before has it. */
  readonly mayHaveChanged: boolean
  /** What a result calls it, before the reason. Undefined if it only counts it. */
  readonly text: string | undefined
}

/**
 * How the row of a change can end. `partly`: some of it was written, or the service saved something else. `outdated`: its check isn't what
 * the person saw.
 */
export const ROW_ENDS = {
  done: { audited: 'done', mayHaveChanged: true, text: undefined },
  partly: { audited: 'done', mayHaveChanged: true, text: 'partly done' },
  outdated: { audited: 'failed', mayHaveChanged: false, text: 'not done' },
  refused: { audited: 'failed', mayHaveChanged: false, text: 'not done' },
  unclear: { audited: 'unknown', mayHaveChanged: true, text: 'unclear' },
} as const satisfies Readonly<Record<string, EndRules>>

/** `uuid` is that of the check, unless nobody knows it. */
export interface RowEnd {
  readonly is: keyof typeof ROW_ENDS
  readonly uuid?: string | undefined
  readonly reason?: string | undefined
  /** What the service answered, as the errors of acts are stored, for the person who waits for this end. */
  readonly error?: unknown
  /** The server address that an edit sent although it didn't set one. */
  readonly kept?: string | undefined
}

/**
 * Every row of a change is `ready` until a request for it is recorded, and `begun` until nobody has to find out what became of that:
 * state → what is found out → the next state, or the end. Windows, lines, and files are the same.
 */
export const ROW_TRANSITIONS = {
  ready: {
    // Somebody else has done the same: this change neither did it, nor can undo it.
    'as-wanted': 'outdated',
    differs: 'outdated',
    hidden: 'refused',
    unread: 'ready',
  },
  begun: {
    'as-wanted': 'done',
    // What somebody else has changed since may have replaced what this row wrote.
    differs: 'unclear',
    hidden: 'unclear',
    unread: 'begun',
    refused: 'refused',
    // The service doesn't have it, and can't get it anymore.
    unsent: 'ready',
    unanswered: 'begun',
  },
} as const satisfies Record<'ready' | 'begun', Record<string, 'ready' | 'begun' | RowEnd['is']>>
