/** A verb that a line without a verb can mean. */
export interface UnnamedVerb {
  readonly line: string
  /** At least one of these slots or flags must be typed. */
  readonly needs?: readonly string[]
  /** True if the verb is only suggested. */
  readonly isOffer?: true
}

/** The verbs that a line without a verb can mean: the first one that takes every word. Only reads and windows run. */
export const UNNAMED_VERBS: Readonly<Record<string, readonly UnnamedVerb[]>> = {
  hc: [
    { line: '/hc show', needs: ['uuid'] },
    { line: '/hc list', needs: ['status', 'protocol'] },
    { line: '/hc recipients', needs: ['address'] },
    { line: '/hc grant', needs: ['person', 'role'], isOffer: true },
    { line: '/hc list', needs: ['pattern'] },
    { line: '/hc mute', needs: ['for', 'until'], isOffer: true },
    { line: '/hc history', needs: ['period'], isOffer: true },
    { line: '/hc show' },
  ],
  threat: [
    { line: '/threat', needs: ['ids'] },
    { line: '/threat queue', needs: ['mine'] },
    { line: '/threat' },
  ],
  'cert-order': [
    { line: '/cert-order show', needs: ['number'] },
    { line: '/cert-order list', needs: ['status', 'mine', 'expiring', 'requester', 'period'] },
    { line: '/cert-order', needs: ['host', 'pattern'] },
  ],
}

/** Words that people use for two verbs, so both are suggested. */
export const TWO_MEANINGS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  hc: {
    disable: ['/hc mute', '/hc maintenance'],
    deactivate: ['/hc mute', '/hc maintenance'],
    enable: ['/hc unmute', '/hc watch'],
    activate: ['/hc unmute', '/hc watch'],
  },
}
