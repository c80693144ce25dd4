import { type Sentence, sentence } from './sentence.ts'

const NOTIFY = '(?:please )?(?:tell|notify|dm|alert|message|ping|let|inform|warn|text|page|email|remind)'
const WHEN = '(?:know )?(?:when(?:ever)?|if|once|as soon as|every time|about|on|of)'
const GOES_DOWN =
  '(?: (?:goes down|go down|is down|are down|fails?|breaks?|goes red|has problems|(?:has|have) (?:an )?(?:issues?|outages?|incidents?)|goes offline|is offline|stops working|becomes? unavailable|changes?|outages?|failures?|incidents?))'
const RECOVERS =
  '(?:recovers?|(?:is|are) (?:back|up|healthy|green|ok|working|fixed|online)(?: (?:again|up|online))?|(?:comes?|goes|gets) (?:back|up|green)(?: (?:up|online|again))?|works again)'
const NOW = '(?: (?:right )?now| again| today| currently| at the moment| atm)?'
/** Words for the state of one check at the end of a sentence. */
const STATE =
  '(?:up|down|ok|okay|fine|good|bad|healthy|unhealthy|broken|alive|dead|working|running|red|green|failing|doing|online|offline|reachable|unreachable|available|responding|flapping|slow|muted|in maintenance|on maintenance)'

/** Sentences about the state of health checks. */
const STATE_SENTENCES: readonly Sentence[] = [
  // A list of those that are up would hide the others.
  sentence(
    '(?:is|are) (?:everything|all|things|we|it all|all (?:the |of the |our )?{checks})(?: (?:all|still|back))* (?:ok|okay|good|fine|alright|well|up|green|healthy){now}',
    '/hc',
  ),
  sentence(
    '(?:list|ls|search|find)(?: (?:all|those|ones|the|only|any|just|everything|{checks}))* (?:(?:that|which) (?:are|is)|with (?:status|state)|where (?:status|state)(?: is)?|in (?:status|state)|currently|being|status|state)(?: (?:currently|now|still))? (?<what>{status})',
    '/hc list $<what>',
  ),
  sentence(
    '(?:list|ls|search|find)(?: (?:all|those|ones|the|only|any|just|everything|{checks}))* (?:with|where|whose|by|that|which|having)?(?: ?(?:the|an?))? ?(?:names?(?: (?:is|like|contains?|containing|matching|matches|starting with|starts with|with|of|includes?))?|containing|contains?|matching|matches|starting with|that start with|like) (.+)',
    '/hc list $1',
  ),
  sentence(
    `(?:what(?:'?s| is|s| are)?|which(?: ones)?(?: are| is)?|anything|show me what(?:'s| is)|(?:is|are) (?:anything|something|there (?:anything|something)|any(?: {checks})?|all(?: {checks})?|everything)|who is|everything)(?: (?:all|currently|still|the))* {status}${NOW}`.replace(
      '{status}',
      '(?<what>{status})',
    ),
    '/hc list $<what>',
  ),
  sentence(
    `(?:(?:what|which|how many|list|ls|show|see|get|give|find|display|view|all|any|are|is|count)(?: me)? )(?:(?:all|of|the|our|my|any|which|that|there|every) )*(?:health )?(?:checks?|monitors?|hosts?|services?|sites?|servers?|endpoints?|systems?|apps?|urls?|ones|things)(?: (?:that|which|do we have|we have|currently|there|still|right now|are|is|were))* (?<what>{status})${NOW}`,
    '/hc list $<what>',
  ),
  sentence(
    '(?:status|summary|health|overview)(?: of| for)? (?:all|everything|all {checks}|all the {checks})',
    '/hc',
  ),
  sentence(
    /^(?:is|are) (?:you|signalman|the (?:app|bot)|this(?: thing| bot)?|it) (?:up|down|ok|okay|healthy|alive|working|running|on|there|online)$/i,
    '/hc',
  ),
  sentence(
    /^(?:was|were|has|have|had) (.+?) (?:been )?(?:up|down|ok|healthy|broken|offline|unavailable|failing) ((?:yesterday|today|last|this|since|on|in|at|during|between|from|over|for|earlier|tonight|the).*)$/i,
    '/hc history $1 $2',
  ),
  sentence(
    /^(?:was|has|have|had|were|did) (.+?) (?:been |ever |go |gone |went )*(?:up|down|ok|healthy|broken|offline|unavailable|failing|fail|break)(?: (?:lately|recently|before|again|at all))?$/i,
    '/hc history $1',
  ),
  sentence(/^did (.+?) (?:go down|fail|break|have (?:an )?outages?|crash) (.+)$/i, '/hc history $1 $2'),
  sentence(
    /^(?:when|how often|how many times|how long|what time|since when) (?:was|were|did|has|have|is|does|do|had|will) (?:the )?(.+?)(?: (?:last|first|been|ever|previously|most recently|be))*(?: (?:up|down|go down|went down|gone down|fail|failed|broken|break|offline|unavailable|recover|recovered|come back|came back|an? outage|healthy|fixed|crash|crashed))(?: (?:last|for|lately|recently|again|time))* ((?:yesterday|today|last|this|since|in|during|over|on|between|from|past).*)$/i,
    '/hc history $1 $2',
  ),
  sentence(
    /^(?!(?:since when|how long) (?:is|are|has) )(?:when|how often|how many times|how long|what time|since when) (?:was|were|did|has|have|is|does|do|had|will) (?:the )?(.+?)(?: (?:last|first|been|ever|previously|most recently|be))*(?: (?:up|down|go down|went down|gone down|fail|failed|broken|break|offline|unavailable|recover|recovered|come back|came back|an? outage|healthy|fixed|crash|crashed))(?: (?:last|for|lately|recently|again|time))*$/i,
    '/hc history $1',
  ),
  sentence(
    new RegExp(
      `^(?:is it (?:just|only) me,? or )?(?:is|are|why is|why are|how is|how are|how's|hows|(?:since when|how long)(?: is| has| are)) (?:the |our |my )?(.+?)(?: (?:been|still|back|now|currently|actually|all))* ${STATE}${NOW}$`,
      'i',
    ),
    '/hc show $1',
  ),
  sentence(
    /^(?:how is|how are|how's|hows|what about|how about|what of) (?:the |our |my )?(.+?)(?: (?:today|now|right now|looking|going|doing|feeling))*$/i,
    '/hc show $1',
  ),
  sentence(
    /^(?:what(?:'?s| is) )?(?:the |current |overall |latest )*(?:status|state|health|details?|info|information|condition|situation|stats) (?:of|for|on|about|with) (?:the |our |my )?(.+)$/i,
    '/hc show $1',
  ),
  sentence(
    /^(?:check(?: on| if| whether| the status of)?|see if|see|display|view|look at|look up|details?|details? (?:of|for|on|about)|more (?:about|on)|tell me (?:more )?about|give me|lookup|is ?it ?up|isup|open|inspect|monitor status(?: of)?) (?:the )?(?!add )(.+?)(?: (?:is|are) (?:up|down|ok|okay|working|alive|healthy))?$/i,
    '/hc show $1',
  ),
  sentence(/^(?:is|are) (.+) (?:being )?(?:watched|monitored)(?: here)?$/i, '/hc watches $1'),
]

/** Sentences about outages, uptime, and what changed. */
const PAST_SENTENCES: readonly Sentence[] = [
  sentence(
    /^what(?:'s| is) (?:the |our )?(?:uptime|sla|availability)(?: (?:of|for) (?:(?:all|the|our|monitored) )*(?:(?:health )?checks|monitors|sites|services)| (?:of|for) (.+))?$/i,
    '/hc history $1',
  ),
  sentence(
    /^(?:error|failures?|problems|issues|errors|interruptions|crashes|alarms)(?: (?:with|of))? (.+)$/i,
    '/hc history $1',
  ),
  sentence(/^what(?:'s| has|s)? (?:was )?changed(?: (.+))?$/i, '/hc audit $1'),
  sentence(
    /^(?:what|which(?: (?:health )?(?:checks|services|hosts|sites|monitors))?|who)(?:'s| has| was| were|s)? (?:happened|broke|broken|failed|went down|gone down|down|failing|offline|crashed|unavailable)(?: (?:to|with))? (.+)$/i,
    '/hc history $1',
  ),
  sentence(/^what(?:'s| has|s)? (?:happened|broke|failed|went down)$/i, '/hc history'),
  ...Object.entries({
    mute: 'muted|silenced|snoozed',
    delete: 'deleted|removed',
    create: 'created|added',
    edit: 'edited|renamed',
    unmute: 'unmuted',
    grant: 'granted',
  }).map(([verb, past]) => sentence(`who (?:has |have )?(?:${past}) (.+)`, `/hc audit ${verb} $1`)),
  sentence(
    /^who (?:has |have )?(?:changed|did|updated|touched|modified|broke|set|watched|made) (.+)$/i,
    '/hc audit $1',
  ),
  sentence(/^(?:audit|log) (?:log|logs|trail|entries|history|events)(?: (?:of|for))? (.+)$/i, '/hc audit $1'),
]

/** Sentences about who is told, and about mutes and maintenance. */
const NOTICE_SENTENCES: readonly Sentence[] = [
  sentence(
    /^(?:show|list|get|see|view)(?: me)?(?: the| all)* (?:alerts?|alert recipients|e-?mails?|mails?) (?:of|for|on) (?:the )?(.+)$/i,
    '/hc alerts $1',
  ),
  sentence(/^who(?:'s| is)? (?:on it|working on it|looking at it|fixing it|handling it)$/i, '/hc'),
  sentence(
    /^(?:who(?:'s| is| are)?|whos|is anyone|anyone|am i) ?(?:the )?(?:current(?:ly)? )?(?:on[ -]?call|oncall|paged|called)(?: (?:now|next|today|tonight|tomorrow|this week|for .+|right now|person|engineer))*$/i,
    '/hc watches',
  ),
  sentence(
    '(?:subscribe|subscriptions?|watch|mute|silence|notifications?|follow) (?:list|ls)',
    '/hc watches',
  ),
  sentence(/^(?:who ?is ?on ?call|whosoncall|who'?s ?on ?call)$/i, '/hc watches'),
  sentence(
    /^why (?:was|were|am|is|did|do|are) .+ (?:paged|called|notified|told|get paged|alerted|pinged|getting .+)$/i,
    '/hc watches',
  ),
  sentence(/^who gets (?:paged|called|pinged|notified)(?: .*)?$/i, '/hc watches'),
  sentence(
    /^who (?:gets|receives|is sent|gets sent|is getting) (?:the )?(?:e-?)?(?:mails?|alerts?|notifications?)(?: (?:about|for|from|of))? (.+?)$/i,
    '/hc alerts $1',
  ),
  sentence(
    '(?:add|put|subscribe|include|invite) {address} (?:to|on|for|in|as (?:a )?recipient (?:of|for)) (?:the )?(.+)',
    '/hc recipients $1 add "$2"',
  ),
  sentence(
    '(?:remove|delete|drop|take|unsubscribe|exclude) {address} (?:from|off|out of) (?:all|everything|everywhere|every check|all (?:the |of the )?(?:health )?(?:checks|monitors|services|alerts|recipients|lists))',
    '/hc recipients $1 --remove',
  ),
  sentence(
    '(?:remove|delete|drop|take|unsubscribe|exclude) {address} (?:from|off|out of) (?:the )?(.+)',
    '/hc recipients $1 remove "$2"',
  ),
  sentence(
    '(?:replace|swap|change|switch|exchange) {address} (?:with|by|to|for|->|and) {address}(?: (?:everywhere|in all(?: checks)?|on all(?: checks)?|for all(?: checks)?))?',
    '/hc recipients $1 --replace-with $2',
  ),
  sentence(`${NOTIFY} me ${WHEN} (?:the )?(.+?) ${RECOVERS}`, '/hc watch "$1" --me --recovery'),
  sentence(`${NOTIFY} me ${WHEN} (?:the )?(.+?)${GOES_DOWN}`, '/hc watch "$1" --me'),
  sentence(
    `(?:${NOTIFY} (?:us|the team|everyone|everybody|this channel|the channel|people|here)|post(?: here| in this channel)?|send (?:a |an )?(?:alerts?|messages?|notifications?)(?: here)?) ${WHEN} (?:the )?(.+?)${GOES_DOWN}`,
    '/hc watch "$1"',
  ),
  sentence(
    /^(?:stop|quit|end|cancel) (?:watching|monitoring|following|the watch (?:of|for|on)|my watch (?:of|for|on)|watch(?: (?:of|for|on))?|(?:telling|notifying|alerting|dming|messaging|pinging|paging) (?:me|us|here|this channel)(?: (?:about|of|for|on|when))?|(?:alerts|notifications|posts|posting|updates|messages) (?:about|for|on|of|from)|alerting (?:on|about|for)) (.+)$/i,
    '/hc unwatch $1',
  ),
  sentence(
    /^(?:watch(?:es|ing)?|subscribe|subscriptions?|alerts|notifications|follow) off(?: (?:for|on) (.+))?$/i,
    '/hc unwatch $1',
  ),
  sentence(
    /^(?:disable|turn off|switch off|stop|pause|suppress|hide|kill|shut up|shut|suspend|hold|no) (?:the |all |any )*(?:alerts?|alerting|notifications?|alarms?|paging|pages|messages|noise) (?:for|from|on|of|about) (?:the )?(.+)$/i,
    '/hc mute $1',
  ),
  sentence(
    /^(?:mute|silence|snooze|quiet|muting|alerts? back|alerts) (?:off|on again|over)(?: (?:for|on|of) (.+)| (.+))?$/i,
    '/hc unmute $1$2',
  ),
  sentence(
    '{end} (?:all(?: of)?|every|everything)(?: the| my| our)? (?:mutes?|muting|silences?|snoozes?)',
    '/hc unmute all',
    { isOffer: true },
  ),
  sentence(
    '{end} (?:(?:the|my|our|a|this) )?(?:mutes?|muting|silences?|snoozes?|silencing)(?: (?:of|for|on|from|in))?(?: (.+))?',
    '/hc unmute $1',
  ),
  sentence(
    '{end} (?:(?:all|the|my|our|a|this|current|planned|next|scheduled) )*(?:maintenances?|downtimes?|planned work)(?: (?:windows?|modes?|jobs?|plans?))?(?: .+)?',
    '/hc maintenance',
  ),
  sentence(
    /^(?:add|schedule|plan|create|set|set up|start|new|begin|book|announce|open|make|declare|do|need|i need|enter|enable)(?: (?:an?|the|some|new|planned))* (?:maintenance|downtime)(?: (?:windows?|mode|period))?(?: (?:for|to|on|of|in|at))? (.+)$/i,
    '/hc maintenance $1',
  ),
  sentence(
    /^(?:put|place|set|move|take|mark|bring) (.+?) (?:in|into|under|on|to|for|as|down for) (?:planned )?(?:maintenance|downtime)(?: mode)?(?: (.+))?$/i,
    '/hc maintenance $1 $2',
  ),
]

/** Sentences that lead to a window, or to what an admin or the help says. */
const OTHER_SENTENCES: readonly Sentence[] = [
  sentence(
    /^(?:import|upload)(?: (?:the|a|my|this|from|checks?))*(?: (?:file|csv|yaml|\S+\.(?:csv|ya?ml|json|xlsx?)))+$/i,
    '/hc import',
  ),
  sentence(
    /^(?:share|post|publish|broadcast)(?: (?:the|a))*(?: (?:status|state|card|details) of)? (.+?)(?: (?:here|with (?:the )?(?:channel|team|everyone|us)|(?:in|to) (?:the|this) channel))?$/i,
    '/hc show "$1" --share',
    { isOffer: true },
  ),
  sentence(
    /^(?:rename (.+?) (?:to|as|into)|(?:edit|change|update|set|call) (.+?) (?:name(?: to)?|named|called)) .+$/i,
    '/hc edit "$1$2"',
    { isOffer: true },
  ),
  sentence(/^(?:clone|copy|duplicate) (.+?) (?:as|to|into) (.+)$/i, '/hc clone "$1"', { isOffer: true }),
  sentence(
    /^(?:run|rerun|retry|trigger|force|execute|re-?run|check now|run (?:a )?(?:check|test|diagnosis)(?: (?:of|on|for))?|troubleshoot|traceroute|curl|diagnostics?|diagnosis|diag) (?:the )?(.+?)(?: (?:now|again|check))?$/i,
    '/hc diagnose $1',
  ),
  sentence(
    /^(?:undo|revert|rollback|roll back)(?: (?:my|the|that|it|last|latest|this|previous|change|changes|edit|edits|job|again|everything|what i did))+$/i,
    '/hc undo',
    { isOffer: true },
  ),
]

export const CHECK_SENTENCES: readonly Sentence[] = [
  ...STATE_SENTENCES,
  ...PAST_SENTENCES,
  ...NOTICE_SENTENCES,
  ...OTHER_SENTENCES,
]

const BE =
  "(?:is|are|isn'?t|aren'?t|seems?|looks?|appears?|went|goes|keeps?(?: on)?|has|have|was|were|stopped|doesn'?t|does not|don'?t|not|won'?t|can'?t|cannot|gone|just)"

/** Sentences that begin with a name. They count only if the first word isn't a verb. */
export const NAMED_SENTENCES: readonly Sentence[] = [
  sentence(
    new RegExp(
      `^(?:the |our |my )?(.+?) (?:(?:service|check|site|page) )?(?:${BE} )+(?:(?:not|been|to be|very|really|completely|gone|back|a bit|totally|still|again|going|keep) )*(?:up|down|ok|okay|fine|good|bad|healthy|unhealthy|broken|alive|dead|work|works|working|run|running|red|green|fail|failing|failed|online|offline|reachable|unreachable|available|unavailable|load|loading|respond|responding|open|opening|flapping|flaky|slow|crashed|crashing|timing out|muted|wrong|weird|hanging|stuck)(?: (?:again|now|right now|today|since .+|for .+|sometimes|a lot|at the moment|here|for me))*$`,
      'i',
    ),
    '/hc show $1',
  ),
  sentence('(?:the |our |my )?(.+?) (?:current )?(?:status|state|health|info|details?|card)', '/hc show $1'),
]
