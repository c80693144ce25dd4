import { type Sentence, sentence } from './sentence.ts'

const COMMANDS = ['hc', 'threat', 'cert-order']

/** Ways to ask for the help of a command, and for the help of one of its verbs. */
const HELP_SENTENCES: readonly Sentence[] = COMMANDS.flatMap((command) => [
  sentence(
    '(?:\\?+|h|help ?me|help ?(?:please|menu|page)|halp|man|manual|handbook|readme|commands?|command list|cmds?|docs?|documentation|faq|guide|options|menu|support|about|version|settings|config|configuration|preferences|instructions|tutorial|how|what|get(?:ting)? started|(?:show|list|see|give|get|view|display)(?: me)? (?:all |the |your |available )*(?:help|commands?|options|docs?|manual|usage|menu|features|verbs)|what (?:can|do|does|are) (?:you|this|it|this bot|signalman)(?: (?:do|doing|offer|support|know|able to do))*|what (?:are|is) (?:the |your |this|available |my )*(?:commands?|options|bot|app|thing|usage)?|how (?:do|does|can) (?:this|it|that|i use (?:this|it|you)|you|signalman|the bot|one use (?:this|it))(?: work)?|how to use(?: (?:this|it|you|signalman|the bot))?|who are you)',
    `/${command} help`,
  ),
  sentence(
    /^(?:how (?:to|do (?:i|we|you|one|u)|can (?:i|we|you)|would (?:i|you|we)|does one|should i)|where (?:do|can) i|what does|explain(?: to me)?|help(?: me)? (?:with|to|on|about|for)|docs? (?:for|on|about)|usage (?:of|for)|man|manual (?:for|of)|commands? for) (?:the )?(?:commands? )?\/?(?:(?:hc|threat|cert-order) )?([a-z-]+)\b.*$/i,
    `/${command} help $1`,
  ),
  sentence(
    /^\/?([a-z-]+) (?:help|usage|\?+|how|manual|docs|syntax|options|examples?)$/i,
    `/${command} help $1`,
  ),
])

/** Sentences about roles. */
const ACCESS_SENTENCES: readonly Sentence[] = [
  sentence(/^what (?:can|may) i do(?: here)?$/i, '/hc whoami'),
  sentence(
    /^(?:(?:what|which)(?: (?:are|is))?(?: my)? (?:roles?|permissions?|rights?|access|privileges)(?: level)?(?: (?:do|am|have|can) i(?: (?:have|got|in|use))?| have i(?: got)?| i have)?|(?:am|are) i (?:an? |the |in )?(?:admin|administrator|operator|approver|viewer|allowed|authorized|permitted)(?: .*)?|(?:can|may|could) i .+|do i have .+|who am i.*|my (?:own )?(?:roles?|permissions?|rights|access))$/i,
    '/hc whoami',
  ),
  sentence(
    "(?:who (?:has|have|is|are|can|may|got|gets|could|holds?)|who'?s|list|show|see|which (?:users|people) (?:are|have)|what (?:users|people) (?:are|have)|who all has)(?: (?:the|an?|all|our|my|be|me|of))*(?: (?:{role}|approve|approve orders|grant(?: roles)?|role|roles|access|rights|permissions?|mute|edit|delete))+(?: (?:role|roles|access|rights|permissions?|here|orders?|checks?|things|requests?|in this workspace))*",
    '/hc access',
  ),
  sentence(/^(?:request|ask for|need|get|i need) (?:access|a role|roles|permissions?)$/i, '/hc whoami'),
  sentence(
    /^(?:request|ask for|i need|i want|need|get|become|make me|grant me|give me)(?: the| an?)? (?:operator|approver|admin)(?: role| access| rights| permissions?)?(?: .+)?$/i,
    '/hc whoami',
    { isOffer: true },
  ),
  sentence(
    '(?:add|promote|appoint|set|let|allow|invite|elevate|upgrade|assign)(?: user)? {person} (?:to|as|be|into|with|in)?(?: ?(?:the|an?|be))* ?(operator|approver|admin)s?(?: (?:role|access|rights|group))?(?: (.+))?',
    '/hc grant $1 $2 $3',
  ),
  sentence(
    /^(?:revoke|ungrant|take away|remove access|demote|downgrade|deny access|unassign)\b.*$/i,
    '/hc access',
    { isOffer: true },
  ),
  sentence('{person} (?:has|is|should|needs?|wants?|gets?|can)(?: .+)?', '/hc access', { isOffer: true }),
]

/** An address in any spelling, of which the first group is the host. */
const SITE = '(?:h(?:tt|xx)ps?\\[?:\\]?(?:\\[?\\/\\/\\]?))?([^\\s/]*[^\\s/]\\[?[.:]\\]?[^\\s/]+)\\S*'
const KIND =
  '(?:(?:the|this|that|an?|ip|ips|url|urls|domain|host|hostname|site|website|address|link|page|for|on|at|about|of|if|whether|events?|info|information|up) )*'

const THREAT_SENTENCES: readonly Sentence[] = [
  sentence(
    `(?:report|look ?up|check|investigate|scan|analy[sz]e|inspect|query|submit|block|sinkhole|blacklist|blocklist|ban|examine|add|test|verify|get|show|see|info|reputation|url[ _-]?(?:lookup|scan|check)|(?:ip|domain|host|url)[ _-]?(?:lookup|check|info|scan)|takedown|take down|ip|domain|url|site|host|what (?:is|about)|what do (?:we|you) know about|do (?:we|you) know|any(?:thing)? (?:on|about|for)|ioc|virustotal|vt) ${KIND}${SITE}`,
    '/threat find $1',
    { isOffer: true },
  ),
  sentence(
    `(?:is|was|has|have|are) ${KIND}${SITE} (?:.*?)(?:phishing|phish|malicious|bad|evil|dangerous|safe|ok|known|listed|blocked|reported|seen|clean|suspicious|legit|fake|malware|spam|down|up|live|online|offline|taken down|a threat|threat|scam)(?: (?:site|page|domain|before|already|to us|here|url|now|yet))*`,
    '/threat find $1',
  ),
  sentence(/^close (.+)$/i, '/threat case $1', { isOffer: true }),
  sentence(
    "(?:who(?:'s| is| has| owns| took| works on| is on| is working on| is handling| handles)|owner(?: of)?|assignee(?: of)?|case(?: of| for)|whose(?: case)? is|state of|status of|history of) {id}",
    '/threat case $1',
  ),
  sentence(
    "(?:lookup|look up|search(?: for)?|find|open|view|get|show|see|check|investigate|scan|analy[sz]e|inspect|what is|what's|rescan|refresh|recheck|info|event|id|report|explain|describe|display|threat) (?:me )?(?:the )?(?:event |case |id |threat )?{id}",
    '/threat $1',
  ),
]

const NUMBER = '(?:(?:order|number|no\\.?|request|the) )*(#?\\d+)'

const ORDER_SENTENCES: readonly Sentence[] = [
  sentence(
    `why (?:was|is|has|were|did) ${NUMBER} (?:.*?)(?:rejected|refused|declined|denied|failed|fail|waiting|pending|stuck|withdrawn|open)`,
    '/cert-order show $1',
  ),
  sentence(
    `(?:what(?:'s| is| about| happened (?:to|with))|where is|how is|has|is|who (?:approved|rejected|requested|ordered|has))(?: the status of)? ${NUMBER}(?: (?:been |already |yet |done|ready|approved|rejected|issued|doing|going|finished|ordered|placed))*`,
    '/cert-order show $1',
  ),
  sentence(
    /^(?:waiting|pending|open|anything|something)(?: waiting)? (?:for|on) (?:me|us|approval|my approval)$/i,
    '/cert-order list awaiting',
  ),
  sentence(
    /^(?:(?:what|which|who|anything|is there anything|list|show)(?: (?:orders?|requests?|is|are|certificates?|certs?|needs?|to))*|to|needs?|needing|for) (?:need |needs |waiting |await |awaiting |waits |wait |for |my |our |to |be )*(?:approval|approve|approved|approvals|waiting|pending|review)(?: (?:me|us|now|today))*$/i,
    '/cert-order list awaiting',
  ),
  sentence(
    /^(?:what|which|any|are any|when(?: do| does| will)?)(?: (?:the|our|my|all))*(?: (?:certificates?|certs?|orders?))? (?:that |which )?(?:expires?|is expiring|are expiring|expiring|will expire|run out|ends?)(?: (?!.*\.).+)?$/i,
    '/cert-order list expiring',
  ),
  sentence(
    /^(?:when|how soon|what day|how long|until when|is|are|has|does|did|check|will) (?:does |do |will |is |are |until |before )*(?:the |our |my )*(?:certs? |certificates? |ssl )?(?:for |of |on )?(?:the )?([^\s]+\.[^\s]+)(?:'s)?(?: (?:certs?|certificates?|ssl))?(?: (?:going to|still|about to|will|to))*(?: (?:expires?|expiring|expired|expiry|end|ends|run out|valid|due|renewed|up for renewal|renewal))(?: .*)?$/i,
    '/cert-order list expiring $1',
  ),
  sentence(
    /^(renew|reissue)(?: (?:the|our|my|an?|this|old|ssl|tls))* (?:certs?|certificates?|order|ssl)(?: (?:for|of|on|from))? (.+)$/i,
    '/cert-order $1 $2',
  ),
  sentence(
    /^(?:new|order|create|request|get|buy|issue|generate|make|need|i need|i want|want|add|purchase|start)(?: (?:me|an?|the|new|ssl|tls|wildcard|another|us))* (?:certs?|certificates?|orders?|ssl|tls)(?: (?:for|of|on|from))? (\S+\.\S+)$/i,
    '/cert-order new $1',
  ),
  sentence(
    /^(?:get|buy|issue|generate|make|need|i need|i want|want|add|purchase|certs?|certificates?|ssl|tls|start)(?: (?:me|an?|the|new|ssl|tls|wildcard|another|us))*(?: (?:for|of|on|from))? (\S+\.\S+)$/i,
    '/cert-order new $1',
  ),
  sentence(
    `(?:view|get|see|open|details?|info|describe|display|order|find|check|status)(?: (?:of|for|on|the|me|status))* ${NUMBER}`,
    '/cert-order show $1',
  ),
  sentence(
    `(?:sign ?off|sign|ok|okay|yes to|yes|allow|grant|release|let through|go ahead with|\\+1|lgtm|accept|confirm|approved|authorize|authorise) ${NUMBER}`,
    '/cert-order approve $1',
  ),
  sentence(
    `(?:no to|no|refuse|rejected|dismiss|veto|turn down|disapprove|deny|decline|block|-1)(?: to)? ${NUMBER}(?: (.+))?`,
    '/cert-order reject $1 $2',
  ),
]

export const OTHER_SENTENCES: readonly Sentence[] = [
  ...ACCESS_SENTENCES,
  ...HELP_SENTENCES,
  ...THREAT_SENTENCES,
  ...ORDER_SENTENCES,
]
