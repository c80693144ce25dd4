import { EVENT_ID } from '../../domain/event-id.ts'
import { type Sentence, sentence } from './sentence.ts'

/** `after`: the command that the words are typed after, if the line is of another one. */
type Row = readonly [words: string, line: string, after?: string | undefined]

/** What people call what a line shows: `hosts`, `show all monitors`, `which mutes are there`, `outages last week`. */
const NOUNS: Readonly<Record<string, string>> = {
  '/hc list': '{checks}',
  '/hc list down':
    '{checks}? (with|having)? (alerts|alarms|problems|issues|errors|open incidents|active incidents|current outages)',
  '/hc history PERIOD':
    '(incidents|outages|failures|crashes|uptime|availability|sla|flapping|noisy|flaky) (of|for)? {any}* {checks}?',
  '/hc audit --mine': 'my (activity|actions|changes|audit log|audit)',
  '/hc audit PERIOD': '(changes|audit log|audit trail|activity|activity log)',
  '/hc watches':
    '(watches|mutes|silences|silenced|muted|paused|snoozed|watched|subscriptions|on call|oncall|watch list|subscribe list|mute list|silence list) {checks}?',
  '/hc maintenance':
    '(planned|upcoming|scheduled)? (maintenance|maintenances|maintenance windows|maintenance list|downtime|downtimes|planned maintenance) (is|are)? (planned|scheduled)? {here}* (for)? (today|tonight|tomorrow|this week|this month|next week)?',
  '/cert-order list': '(request|order|orders|cert|certificate) (list|history)',
  '/cert-order list expiring': '(upcoming)? (expirations|expiries|renewals|expiry dates)',
  '/hc whoami': '(my role|my roles|my permissions|my rights|roles do i have)',
  '/hc access': '(users|members|roles|admins|operators|approvers)',
  '/cert-order list awaiting':
    '(approvals|pending approvals|needs approval|needs my approval|waits for approval|to approve)',
}

/** `did`, `when was`, `what happened to`: the start of a question about orders. */
const ABOUT_ORDERS =
  '(if|whether|is|are|was|were|has|have|did|will|does|do|when|where|how|what|who|happened|approved|rejected|requested|with|to|about|the|of|status|my|our)+'

/** Sentences about what is so, and the lines that they mean. The first that fits counts. */
const QUESTIONS: readonly Row[] = [
  // Checks now.
  [
    '(is|are) (all|everything|things|we|you|it|signalman|this|the|bot|app|of|checks|health checks)+ {still}* {state} {still}*',
    '/hc',
  ],
  ['(status|health|overview|summary) (of|for)? {any}+ {checks}?', '/hc'],
  ['(status|health) (overview|summary|dashboard|report)', '/hc'],
  ["(who's|who is) (on|working on|looking at|fixing) it", '/hc'],
  [
    "(what|what's|whats|which|how many|anything|list|show|get|see|view|status|give) {any}* PROTOCOL? {checks}? {any}* STATUS {checks}? {any}*",
    '/hc list PROTOCOL STATUS',
  ],
  ['(why|how|since when|is it just me or|check if)? (is|are) X {still}* {state} {still}*', '/hc show X'],
  [
    "(how is|how's|how are|how about|what about|isitup|check|see|look at|status of|check status of|check on|what's wrong with|what is wrong with|what is the status of) X",
    '/hc show X',
  ],
  ['X (status|state|health|info)', '/hc show X'],
  ['X {is}+ {still}* {state} {still}*', '/hc show X'],
  // Checks before, and what changed.
  ['{any}* (uptime|availability|sla|incidents|outages) {about} {check}* X PERIOD', '/hc history X PERIOD'],
  ['{any}* (uptime|availability|sla|incidents|outages) PERIOD? {about} {check}* X', '/hc history X PERIOD'],
  [
    '(when|how often|how long|how many times)? {was} X {still}* {state} {still}* PERIOD?',
    '/hc history X PERIOD',
  ],
  [
    '(what|which|who) {checks}? (has|was)? (happened|broke|failed|went down|gone down|crashed) (to|with)? X?',
    '/hc history X',
  ],
  ['(who|what) (did|has done|has changed|changed) (what|anything|something)? PERIOD?', '/hc audit PERIOD'],
  ['what (did|have) i (do|done|change|changed)? PERIOD?', '/hc audit --mine PERIOD'],
  ['what (did|have) i DID PERIOD?', '/hc audit DID --mine PERIOD'],
  ['what (did|has) PERSON (do|done|change|changed)? PERIOD?', '/hc audit PERSON PERIOD'],
  ["(what|what's|who) (has)? (changed|did|updated|touched|modified) X?", '/hc audit X'],
  ['who (has)? PAST X', '/hc audit PAST X'],
  ...['cert-order', 'threat'].flatMap((command): Row[] => [
    ['what (did|have) i (do|done|change|changed)? PERIOD?', '/hc audit --mine PERIOD', command],
    ['what (did|have) i DID PERIOD?', '/hc audit DID --mine PERIOD', command],
    ['what (did|has) PERSON DID PERIOD?', '/hc audit DID PERSON PERIOD', command],
  ]),
  // Who is notified, and who may do what.
  [
    'who (gets|receives|is sent) (the)? (mail|mails|email|emails|alerts|notifications) {about} X',
    '/hc alerts X',
  ],
  [
    '(who|which channels|what channels|where) (is|are|does)? (watches|watch|watching|watched|monitors|monitoring) X',
    '/hc show X',
  ],
  ['(export|download) (the)? (audit|audit log|audit trail|activity log) PERIOD?', '/hc audit PERIOD'],
  [
    '(which|what|whose) (email|mail)? (addresses|recipients) (does|do) X (notify|alert|mail|email)',
    '/hc alerts X',
  ],
  ["(who|who's|why) …? (on call|on-call|oncall|paged|pinged|called|alerted|notified) …?", '/hc watches'],
  [
    '(what|which {checks}) (is|are|do|does) (you|we|being|this channel)* (watching|monitoring|watch|monitor|watched|monitored|muted|silenced) {here}*',
    '/hc watches',
  ],
  ['(what can|can|may|am) i …', '/hc whoami'],
  ['who … {role} …?', '/hc access'],
  // Windows are ended in the list of them.
  ['{end} (the)? (maintenance|downtime) …?', '/hc maintenance'],
  ['(maintenance|maint|downtime) (end|stop|cancel|remove|delete|clear|off) …?', '/hc maintenance'],
  // Threats and orders.
  ['(is|was|has|have|do|did) {any}* (seen|know|known|about)* HOST …?', '/threat find HOST'],
  [
    '(look up|url_lookup|url-lookup|investigate|intel|enrich|reputation|what do we know about) {kind}* HOST',
    '/threat find HOST',
  ],
  ['{list}* MINE? CASE? (cases|threats|events|queue|takedowns) {list}*', '/threat queue MINE CASE'],
  ['{list}+ (cases|threats)? {list}* CASE (cases|threats)? {list}*', '/threat queue CASE'],
  [
    '{list}* MINE? {list}* ORDERS (for me|for approval|for my approval|for review|approval|review)? {cert}? {list}*',
    '/cert-order list MINE ORDERS',
  ],
  [
    '(why|who|what|info|status) (was|is|has|did|of|about|for|approved|rejected|requested|the|status)* (order)? N …?',
    '/cert-order show N',
  ],
  ...[undefined, 'hc'].flatMap((after): Row[] => [
    [`${ABOUT_ORDERS} (order|request) (number)? N …?`, '/cert-order show N', after],
    [`${ABOUT_ORDERS} my (order|orders|request|requests) {fate}*`, '/cert-order list mine', after],
  ]),
  ['(is|was|has|did|will|if|whether)+ N {fate}+', '/cert-order show N'],
  [
    '(when|is|does|has) (does|will|the|cert|certificate|for|of)* HOST {any}* (expire|expires|expired|expiring) …?',
    '/cert-order list expiring HOST',
  ],
  [
    '(how many days|how long|days|time) (left|remaining|until|till|for|on|is|are)* HOST {any}*',
    '/cert-order list expiring HOST',
  ],
  ['{any}+ {cert} (for|of|named)? HOST', '/cert-order list HOST'],
  ['status (of|for)? {cert} (for|of|named)? HOST', '/cert-order list HOST'],
  [
    '{any}* (ssl|tls)? {cert}? {any}* (about to|going to)? (expiring|expires|expire) (soon)? PERIOD?',
    '/cert-order list expiring PERIOD',
  ],
  // Help.
  ...['hc', 'threat', 'cert-order'].flatMap((command): Row[] => [
    ['(how to|how do|how can|what does) (i|we|you)? VERB …?', `/${command} help VERB`],
    ['VERB (help|usage|\\?)', `/${command} help VERB`],
    ['(what|how) (can|do|does|is) (you|i|this|it) …?', `/${command} help`],
  ]),
]

/** Sentences about what to do. Their lines are only suggested. */
const REQUESTS: readonly Row[] = [
  ['{tell} me (know)? {when} X {fails}', '/hc watch "X" --me'],
  ['{tell} (us|the team|everyone|here|this channel) (know)? {when} X {fails}', '/hc watch "X"'],
  [
    '(stop|quit|do not) (watching|watch|monitoring|notifying|notify|telling|alerting|alert) (me|us)? {about}? X',
    '/hc unwatch X',
  ],
  ['(disable|turn off|stop|no) (the|all)? (alerts|notifications|alarms) {about} X', '/hc mute X'],
  ['{end} ALL? (the|my)? (mute|mutes|silence|silences) {about}? X?', '/hc unmute ALL X'],
  ['(add|schedule|plan|start|put) (a)? (maintenance|downtime) (window)? {about}? X', '/hc maintenance X'],
  ['put X (in|into|under) (maintenance|downtime) REST?', '/hc maintenance X REST'],
  ['(request|get|need) {role} …?', '/hc whoami'],
  ['(allow|enable|disable|block|invite) (the)? guests …?', '/hc access'],
  ['(keep|delete|expire) (the)? (audit|audit log|audit trail) …?', '/hc access'],
  ['(replace|rotate|change|renew|update) (the|our|my)? (connection|service)? token …?', '/hc connect'],
  ['(require|need|want) (one|two|three|more|1|2|3) approvals …?', '/cert-order policy'],
  ['(import|upload|load) (the|my)? (file)? FILE', '/hc import'],
  ['(revoke|demote) …', '/hc access'],
  ['(remove|delete) (access|role|operator|approver|admin)? (from|of)? PERSON …?', '/hc access'],
  ['(add|promote|set) PERSON (to|as) (be)? (an)? ROLE REST?', '/hc grant PERSON ROLE REST'],
  [
    '(remove|delete|unsubscribe) ADDRESS from (all|everything|everywhere|all checks)',
    '/hc recipients ADDRESS --remove',
  ],
  ['(replace|change) ADDRESS (with|by|to) OTHER', '/hc recipients ADDRESS --replace-with OTHER'],
  ['(report|check|scan|submit|analyze|analyse|takedown|report phishing) {kind}* HOST', '/threat find HOST'],
  ['(close|mark|resolve)? ID {as}* (false positive|fp|benign)', '/threat false-positive ID'],
  ['(close|mark|resolve)? ID {as}* (down|offline|dead|gone)', '/threat down ID'],
  ['(close|mark|resolve)? ID {as}* (up|online|live|active)', '/threat up ID'],
  ["(who has|who owns|who is on|who's on|close|status of) ID {still}*", '/threat case ID'],
]

export const SENTENCES: readonly Sentence[] = [
  ...Object.entries(NOUNS).map(
    ([line, noun]): Row => [`{any}* ${noun} {here}*${line.includes('PERIOD') ? ' PERIOD?' : ''}`, line],
  ),
  ...QUESTIONS,
]
  .map(([words, line, after]) => sentence(words, line, { after }))
  .concat(REQUESTS.map(([words, line]) => sentence(words, line, { isOffer: true })))

const ASKING =
  "(?:can|could|would|will) (?:you|we|someone)|(?:i|we)(?:'d| would)? (?:like|want|need|have)(?: you)? to|let me (?!know)|go ahead and|i wanna|please|pls|just|hey|hi(?=[,!])|hello(?=[,!])|ok|and|@?signalman|tell me(?= (?:what|which|who|how|why|if|is|are)\\b)|do you know"

/** `mute Shop in ote for 2h`: an environment at the end or before a time. In a reason, it's one of its words. */
export const ENVIRONMENT =
  /^((?!.* (?:because|reason) ).+?),? (?:on|in|for) (?:the )?(production|ote)(?: environment)?((?: (?:for|from|until|till|to|by|at|on|since|between|now|me|today|tonight|tomorrow|yesterday|last|past|next|this|every|daily|weekly|because|reason:?|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|\d\S*)(?: .*)?)?)$/i

/** Lines that mean the same with other words. Tried in order, until none fits. */
export const REWRITES: readonly { readonly pattern: RegExp; readonly text: string }[] = [
  { pattern: new RegExp(`^(?:(?:${ASKING})[,!]? )+(.+)$`, 'i'), text: '$1' },
  // `mute check Shop 2h`: a name that begins so needs quotes.
  {
    pattern:
      /^(mute|unmute|silence|snooze|pause|resume|watch|unwatch|edit|delete|remove|maintenance|downtime|show|history|diagnose|alerts) (?:the )?(?:health )?(?:check|monitor) (?!list\b)(.+)$/i,
    text: '$1 $2',
  },
  // `order show 12`, `monitor list`: what it is about, before the verb.
  {
    pattern:
      /^(?:health ?)?(?:checks?|monitors?|orders?|requests?(?= (?:show|get|view|list|ls|find|approve|reject)\b)|certs?|certificates?|cases?|threats?|events?|tokens?|jobs?|roles?) ((?:list|ls|show|get|fetch|view|add|new|create|delete|remove|edit|update|mute|unmute|pause|resume|approve|reject|renew|reissue|withdraw|cancel|find|search|take|release)(?: .*)?)$/i,
    text: '$1',
  },
  // `show history of Shop`, `get screenshot ID`: the noun is a verb.
  {
    pattern: new RegExp(
      String.raw`^(?:show|get|give|view|see|display|fetch|print|list)(?: me)?(?: the| all)? (history|uptime|alerts|recipients|audit|log|activity|jobs|tokens|help|commands|comments|details|dns|whois|screenshot|source|answer|policy|timeline|kit|iocs)((?: (?:of|for|on|from) .+| #?\d+| ${EVENT_ID})?)$`,
      'i',
    ),
    text: '$1$2',
  },
  { pattern: ENVIRONMENT, text: '$1$3 --env $2' },
  // `withdraw my order 12`
  {
    pattern: /^([a-z-]+) (?:the|our|my|this) (?:order|request)? ?(?:number )?(#?\d+)\b(.*)$/i,
    text: '$1 $2$3',
  },
  // `delete the Shop cache check`, `mute our wiki for 2h`
  {
    pattern:
      /^([a-z-]+) (?:(?:of )?the|our|(?<=^(?:show|get) )me(?: the)?) (?!last|past|next|week|month)(.+?)(?: (?:check|service|site))?((?: (?:for|until|from|yesterday|today|last|\d|--).*)?)$/i,
    text: '$1 $2$3',
  },
]
