import { EVENT_ID } from '../../domain/event-id.ts'
import { CHECK_STATUS_WORDS } from './vocabulary.ts'

/** A sentence, and the line that it means. */
export interface Sentence {
  readonly command: string
  /** Matches the text with a space after it. */
  readonly pattern: RegExp
  /** A word in capitals stands for the words that the sentence has in its place. */
  readonly line: string
  /** True if the line is only suggested, although it reads. */
  readonly isOffer: boolean
  /** True if it begins with a name. A line that begins with a verb isn't one. */
  readonly isNamed: boolean
}

/** Sets of words: `{any}` is one of them. */
const SETS: Readonly<Record<string, string>> = {
  /** Words around a kind of thing that don't change which things are meant. */
  any: `list|ls|show|see|get|view|give|find|what|what's|whats|which|who|how many|is|are|there|do|we|you|i|have|me|us|all|any|the|my|our|of|a|
        that|those|everything|monitored|current|currently|recent|latest|ones|only|here|now|right now|still|at the moment|in this channel`,
  /** The same, where `my` means some of them. */
  list: `list|ls|show|see|get|view|find|what|what's|which|how many|is|are|there|do we have|have we|all|any|the|our|of|that|currently|still|now|right now`,
  here: 'list|show|now|right now|currently|at the moment|here|there|are there|do we have|do you have|in this channel',
  checks: 'checks|health checks|monitors|hosts|services|sites|websites|servers|endpoints|targets',
  check: 'the|our|check|monitor|host|service|site|website',
  about: 'about|of|for|on|to|from',
  is: "is|are|isn't|aren't|not|seems|looks|keeps|goes|went|has been|stopped|doesn't|won't|can't",
  was: 'was|were|has|have|did|does|is|are',
  /** Words around the state of a check. */
  still:
    'still|back|again|now|currently|right now|at the moment|really|very|all|been|being|ever|last|first|go|went|gone',
  state: `up|down|ok|okay|fine|good|healthy|unhealthy|broken|break|failing|failed|fail|alive|dead|red|green|online|offline|reachable|
          unreachable|available|unavailable|work|working|running|respond|responding|load|loading|flapping|slow|muted|watched|recover|crash`,
  fails:
    'goes down|is down|are down|fails|breaks|has problems|goes offline|changes|crashes|goes up or down|goes down or up|is failing|is broken|is unhealthy|is offline|is unreachable|stops responding|changes state|changes status',
  recovers:
    'recovers|is back|is back online|is online|is ok|is okay|is green|is working again|comes back up|comes back online|is up|is back up|is up again|is fixed|is healthy|comes back|goes up|works again',
  tell: 'tell|notify|dm|alert|message|ping|let|inform|warn',
  when: 'when|whenever|if|once|as soon as',
  end: 'end|cancel|stop|clear|remove|delete|lift|disable|turn off|expire',
  as: 'as|is|a|an|now|still|again|back|taken',
  /** How an order may have ended. */
  fate: `been|be|get|gets|got|go|went|gone|through|done|finished|complete|completed|approved|rejected|issued|placed|received|sent|ordered|
         withdrawn|denied|refused|pending|waiting|ready|ok|okay|fine|accepted|yet|already|still|now`,
  role: 'operators?|approvers?|admins?|roles?|access|permissions?|rights|approve',
  kind: 'the|of|for|on|about|ip|url|domain|site|host|address',
  cert: 'certs?|certificates?|orders?|requests?',
}

/** What the words in capitals can be. */
const VALUES: Readonly<Record<string, string>> = {
  X: '(?:the |our |my )?(?<X>.+?)',
  ORDERS:
    '(?<ORDERS>pending|waiting|open|awaiting|unapproved|approved|denied|declined|rejected|refused|failed|issued|done|completed|withdrawn|cancell?ed|expired)',
  MINE: '(?<MINE>my|mine)',
  STATUS: `(?<STATUS>${Object.keys(CHECK_STATUS_WORDS).join('|')})`,
  PERIOD:
    '(?<PERIOD>(?:last|this|since|past|in|on|at|over|during|between|from) .+|yesterday.*|today.*|tonight|(?:next|within|by|before|until) .+)',
  ADDRESS: '(?<ADDRESS>[^\\s@<>]+@[^\\s@<>]+)',
  OTHER: '(?<OTHER>[^\\s@<>]+@[^\\s@<>]+)',
  PERSON: '(?<PERSON>@\\S+|U[A-Z0-9]{6,})',
  HOST: '(?:h..ps?\\S{0,4}\\/\\/)?(?<HOST>[^\\s/]+[.:][^\\s/]+)\\S*',
  N: '(?<N>#?\\d+)',
  ID: `(?<ID>${EVENT_ID})`,
  ROLE: '(?<ROLE>operator|approver|admin)s?',
  DID: '(?<DID>approve|reject|withdraw|order|renew|delete|create|edit|mute|unmute|grant|revoke|watch|unwatch)(?:d|ed)?',
  PAST: '(?<PAST>(?:mut|unmut|delet|creat|edit|grant|watch)ed)',
  ALL: '(?<ALL>all)',
  FILE: '\\S+\\.(?:csv|tsv|txt|json|xlsx?)',
  REST: '(?<REST>.+)',
  '…': '.+?',
  PROTOCOL: '(?<PROTOCOL>https?|tcp)',
  VERB: '(?<VERB>[a-z-]+)',
}

/** A word, a set, or alternatives in parentheses, which may be left out (`?`) or repeated (`*`, `+`). */
const PART = /(\([^)]*\)|\{\w+\}|\S+?)([?*+]?)(?=\s|$)/g

/** A sentence as its words. `after`: the command that it is typed after, if that isn't the line's. */
export function sentence(
  words: string,
  line: string,
  { isOffer = false, after }: { isOffer?: boolean; after?: string | undefined } = {},
): Sentence {
  const parts = [...words.matchAll(PART)].map(([, part = '', times]) => `(?:${fill(part)} )${times}`)
  return {
    command: after ?? line.slice(1).split(' ', 1)[0] ?? '',
    pattern: new RegExp(`^${parts.join('')}$`, 'i'),
    line,
    // What another command does isn't done by this one.
    isOffer: isOffer || after !== undefined,
    isNamed: words.startsWith('X'),
  }
}

function fill(part: string): string {
  const [, set = ''] = /^\{(\w+)\}$/.exec(part) ?? []
  const words = VALUES[part] ?? SETS[set] ?? part.replace(/^\(|\)$/g, '')
  return `(?:${words.replace(/\|\s+/g, '|')})`
}

/** The line that a text means. Undefined if it isn't this sentence. */
export function findMeant({ pattern, line }: Sentence, text: string): string | undefined {
  const found = pattern.exec(`${text} `)
  if (!found) return undefined
  return line
    .replace(VALUE, (_, space: string, quote: string, name: string) => {
      const value = found.groups?.[name] ?? ''
      return value === '' ? '' : space + writeValue(value, quote)
    })
    .trim()
}

const VALUE = /( ?)("?)\b([A-Z]+)\b"?/g

/** A pattern in quotes would be a name. */
const writeValue = (text: string, quote: string): string => (/["*]/.test(text) ? text : quote + text + quote)
