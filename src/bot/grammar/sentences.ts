/** A sentence, and the line that it means. */
interface Sentence {
  readonly command: string
  readonly pattern: RegExp
  /** `$1` is the text of the first group. */
  readonly line: string
  /** True if the line is only suggested, although it reads. */
  readonly isOffer?: true
}

const sentence = (pattern: RegExp, line: string, options: Pick<Sentence, 'isOffer'> = {}): Sentence => ({
  command: line.slice(1).split(' ', 1)[0] ?? '',
  pattern,
  line,
  ...options,
})

/** Ends of a sentence about the present: `is it still down right now`. */
const NOW = '(?: (?:right )?now| again| today)?'

/**
 * Sentences that people type instead of a verb. A sentence never acts: one that means a read runs, and any other becomes a button.
 * Matched against the line without its flags, so that these stay.
 */
export const SENTENCES: readonly Sentence[] = [
  sentence(
    new RegExp(
      `^(?:what(?:'?s| is|s| are)?|which(?: (?:health )?checks?)?(?: are| is)?|anything|show me what(?:'s| is)|is anything|are any(?: checks)?) (down|red|broken|failing|unhealthy|up|green|healthy)${NOW}$`,
      'i',
    ),
    '/hc list $1',
  ),
  sentence(
    /^(?:is|are) (?:you|signalman|the (?:app|bot)|this(?: thing| bot)?|it) (?:up|down|ok|okay|healthy|alive|working|running|on)$/i,
    '/hc',
  ),
  sentence(/^(?:was|were) (.+) (?:up|down|ok|healthy|broken) (.+)$/i, '/hc history $1 $2'),
  sentence(
    new RegExp(
      `^(?:is it (?:just|only) me,? or )?(?:is|are|why is|how is|how's|(?:since when|how long)(?: is| has| are)) (.+?)(?: been)?(?: (?:still|back|now))* (?:up|down|ok|okay|healthy|broken|alive|working|red|green|failing|doing)${NOW}$`,
      'i',
    ),
    '/hc show $1',
  ),
  sentence(/^(?:is|are) (.+) (?:being )?watched(?: here)?$/i, '/hc watches $1'),
  sentence(/^who(?:'s| is)? (?:on it|working on it|looking at it)$/i, '/hc'),
  sentence(/^who(?:'s| is)? (?:on[ -]?call|paged|called)(?: now| next| today)?$/i, '/hc watches'),
  sentence(/^why (?:was|were|am|is|did) .+ (?:paged|called|notified|told|get paged)$/i, '/hc watches'),
  sentence(/^who gets (?:paged|called)(?: .*)?$/i, '/hc watches'),
  sentence(
    /^who (?:gets|receives|is sent|gets sent) (?:the )?(?:e-?)?(?:mails?|alerts?)(?: (?:about|for|from|of))? (.+?)$/i,
    '/hc alerts $1',
  ),
  sentence(
    /^who is (?:e-?mailed|alerted)(?: (?:about|for|when))? (.+?)(?: (?:goes|is) down)?$/i,
    '/hc alerts $1',
  ),
  sentence(
    /^(?:please )?(?:tell|notify|dm|alert|message|ping|let) me (?:know )?(?:when|if|once|as soon as) (.+) (?:recovers|is (?:back|up|healthy|green)(?: (?:again|up))?|comes? back(?: up)?)$/i,
    '/hc watch "$1" --me --recovery',
  ),
  sentence(
    /^(?:please )?(?:tell|notify|dm|alert|message|ping|let) me (?:know )?(?:when|if|once|as soon as) (.+) (?:goes down|is down|fails|breaks|goes red)$/i,
    '/hc watch "$1" --me',
  ),
  sentence(
    /^what(?:'s| is) (?:the |our )?(?:uptime|sla)(?: (?:of|for) (?:(?:all|the|our|monitored) )*(?:(?:health )?checks|monitors|sites|services)| (?:of|for) (.+))?$/i,
    '/hc history $1',
  ),
  sentence(/^what(?:'s| has|s)? changed(?: (.+))?$/i, '/hc audit $1'),
  sentence(
    /^what(?:'s| has|s)? (?:happened|broke|failed|went down)(?: (?:to|with))?(?: (.+))?$/i,
    '/hc history $1',
  ),
  sentence(/^who (?:changed|did|edited) (.+)$/i, '/hc audit $1'),
  sentence(/^who (mute|delete)d (.+)$/i, '/hc audit $1 $2'),
  sentence(/^what (?:can|may) i do(?: here)?$/i, '/hc whoami'),
  sentence(/^(?:request|ask for|need|get|i need) (?:access|a role|roles|permissions?)$/i, '/hc whoami'),
  sentence(
    /^(?:request|ask for|i need|need|get)(?: the| an?)? (?:operator|approver|admin)(?: role| access| rights)?(?: .+)?$/i,
    '/hc whoami',
    { isOffer: true },
  ),
  sentence(/^(?:end|cancel|stop|finish) (?:the )?(?:maintenance|downtime)(?: .+)?$/i, '/hc maintenance', {
    isOffer: true,
  }),
  sentence(/^(?:end|cancel|stop) (?:the )?(?:mute|muting|silence)(?: (?:of |for )?(.+))?$/i, '/hc unmute $1'),
  sentence(
    /^why (?:was|is) (?:order )?(#?\d+) (?:rejected|refused|declined|failed|waiting)$/i,
    '/cert-order show $1',
  ),
  sentence(/^(?:waiting|pending|open) for me$/i, '/cert-order list awaiting'),
  sentence(
    /^(?:what|which)(?: certificates?)? (?:expires?|is expiring|are expiring)(?: .+)?$/i,
    '/cert-order list expiring',
  ),
  sentence(
    /^(?:report|look up|check) (?:h(?:tt|xx)ps?\[?:\]?(?:\[?\/\/\]?))?([^\s/]+)\S*$/i,
    '/threat find $1',
    { isOffer: true },
  ),
  sentence(/^(?:revoke|ungrant|take away|remove access)\b.*$/i, '/hc access', { isOffer: true }),
  sentence(
    /^is (?:h(?:tt|xx)ps?\[?:\]?(?:\[?\/\/\]?))?([^\s/]+)\S* (?:a )?(?:phishing|phish|malicious|bad|evil|dangerous|safe|ok)(?: site| page)?$/i,
    '/threat find $1',
  ),
  sentence(/^close (.+)$/i, '/threat case $1', { isOffer: true }),
]

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
    { line: '/hc list', needs: ['pattern'] },
    { line: '/hc mute', needs: ['for', 'until'], isOffer: true },
    { line: '/hc history', needs: ['period'], isOffer: true },
    { line: '/hc show' },
  ],
  threat: [
    { line: '/threat', needs: ['ids'] },
    { line: '/threat queue', needs: ['mine', 'state'] },
    { line: '/threat find', needs: ['host'] },
    { line: '/threat' },
  ],
  'cert-order': [
    { line: '/cert-order show', needs: ['number'] },
    { line: '/cert-order list', needs: ['status', 'mine', 'expiring', 'requester', 'period'] },
    { line: '/cert-order', needs: ['host', 'pattern'] },
  ],
}
