import { type Sentence, sentence } from './sentence.ts'

/** What people call the things of each list, and the line that lists them: `my open incidents`, `list all mutes`. */
const LISTS: readonly (readonly [line: string, ...nouns: string[]])[] = [
  ['/hc list', '{checks}'],
  ['/hc list down', '(?:problems|issues|errors|alarms|trouble|failing things)'],
  ['/hc history', '(?:incidents?|outages?|failures|interruptions|downtimes|crashes)'],
  [
    '/hc watches',
    '(?:watches|watched|mutes?|muted|silences?|silenced|snoozes?|snoozed|subscriptions?|notifications?|notification settings|escalations?|alert rules?|routes)',
    '(?:on[ -]?call)(?: (?:person|people|engineers?|schedules?|rotations?|rota|team))?',
    '(?:schedules?|rotations?|rota)',
  ],
  [
    '/hc maintenance',
    '(?:maintenances?|maintenance (?:windows?|plans?|modes?|jobs?|list)|maint|downtime windows?|planned work)',
  ],
  ['/hc access', '(?:users|members|{role}|user roles|user permissions|access(?: (?:list|rights|control))?)'],
  [
    '/hc audit',
    '(?:audit|audits|audit (?:log|logs|trail|entries|history|events)|change ?log|changelogs?|change history|event log)',
  ],
  ['/hc jobs', '(?:jobs|running jobs|tasks)'],
  ['/hc tokens', '(?:tokens?|api keys?)'],
  [
    '/cert-order list awaiting',
    '(?:approvals?|open orders|(?:open|pending|waiting|awaiting) (?:orders?|requests?|approvals?|certs?|certificates?)|orders? (?:to approve|awaiting approval|waiting)|inbox|to ?do|queue)',
  ],
  ['/cert-order list', '(?:orders?|cert(?:ificate)? orders?|certs|certificates?|requests?|all)'],
  ['/threat queue', '(?:cases?|queue|tickets?|incidents?|events?|reports?|threats?|phish(?:ing)?|all|inbox)'],
]

/** The same for what belongs to the person who asks. */
const OWN: readonly (readonly [line: string, ...nouns: string[]])[] = [
  ['/hc whoami', '(?:roles?|permissions?|rights|privileges|access(?: level| rights)?|powers)'],
  ['/hc audit mine', '(?:changes|actions|activity|activities|history|edits)'],
  ['/cert-order list mine', '(?:orders?|certs?|certificates?|requests?|cert(?:ificate)? orders?)'],
  ['/threat queue mine', '(?:cases?|tickets?|queue|incidents?|threats?|events?)'],
]

/** Qualifiers that say that something is still so: an incident that is open is a check that is down. */
const OPEN = '(?:open|current|currently open|active|ongoing|unresolved|live|running)'

const listAll = (
  lists: readonly (readonly [line: string, ...nouns: string[]])[],
  toPatterns: (noun: string) => readonly string[],
): Sentence[] =>
  lists.flatMap(([line, ...nouns]) => nouns.flatMap(toPatterns).map((pattern) => sentence(pattern, line)))

/** Lines that only name a kind of thing: `hosts`, `show open incidents`, `services list`, `list my watches`. */
export const NOUN_SENTENCES: readonly Sentence[] = [
  sentence(
    '(?:audit|log|logs|activity|changes)(?: (?:of|for))? (?:all|everything|everyone|(?:the )?(?:last|latest|recent|newest|top)(?: \\d+)?(?: (?:entries|changes|actions|events))?)',
    '/hc audit',
  ),
  sentence(
    '(?:(?:list|show|see|get|view|give|display|any|all|current|active|open)(?: me)? )+(?:all |the |my |our |any )*alerts{now}',
    '/hc list down',
  ),
  sentence(
    '(?:maintenance|downtime) (?:(?:list|ls|show|status)(?: all)?|(?:end|cancel|delete|stop|off|remove)(?: .+)?)',
    '/hc maintenance',
  ),
  sentence(
    '(?:history|uptime|sla|outages|incidents)(?: (?:of|for))? (?:all|everything|all (?:the |of the |our )?{checks})',
    '/hc history',
  ),
  sentence(
    '(?:{read} )?(?:me |us |all |the )*(?:my|our) (?:own )?(?:open|pending|waiting|awaiting) (?:cert(?:ificate)? )?(?:orders?|certs?|certificates?|requests?){now}',
    '/cert-order list mine awaiting',
  ),
  ...listAll(OWN, (noun) => [
    `(?:{read} )?(?:me |us |all |the )*(?:my|our) (?:own |current |open |pending )*${noun}{now}`,
  ]),
  ...listAll(
    [['/hc list down', '(?:incidents?|outages?|problems?|issues?|alarms?|alerts|failures|errors?)']],
    (noun) => [`(?:{read} )?(?:me |us |all |the |any |my |our )*${OPEN} ${noun}{now}`],
  ),
  sentence(
    '(?:{read} )?{any}(?:certs? |certificates? |renewals? )?(?:that |which )?(?:are )?(?:expiring|expires?|expiry|expirations?)(?: (?:soon|next|first|shortly|certs?|certificates?|dates?|orders?))*{now}',
    '/cert-order list expiring',
  ),
  ...listAll(LISTS, (noun) => [`(?:{read} )?{any}${noun}{now}`]),
]
