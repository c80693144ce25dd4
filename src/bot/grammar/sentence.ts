import { CHECK_STATUS_WORDS } from './vocabulary.ts'

/** A sentence, and the line that it means. */
export interface Sentence {
  readonly command: string
  readonly pattern: RegExp
  /** `$1` is the text of the first group. */
  readonly line: string
  /** True if the line is only suggested, although it reads. */
  readonly isOffer?: true
}

/** A sentence as its words, which `fill` puts together. Spaces stand for one space each. */
export const sentence = (
  pattern: RegExp | string,
  line: string,
  options: Pick<Sentence, 'isOffer'> = {},
): Sentence => ({
  command: line.slice(1).split(' ', 1)[0] ?? '',
  pattern: typeof pattern === 'string' ? fill(pattern) : pattern,
  line,
  ...options,
})

const oneOf = (words: string): string => `(?:${words.trim().replace(/\s*\|\s*/g, '|')})`

/** What stands for sets of words in sentences: `{read} {any} mutes`. */
const SETS: Readonly<Record<string, string>> = {
  /** Asks to see something. */
  read: oneOf(
    `list|ls|show|see|get|view|display|give|find|fetch|print|browse|open|what are|which are|where are|where is|what is|what's|whats|
     are there|is there|do we have|do i have|have we got|any|all|how many|count|number of|who are|current`,
  ),
  /** Words before a kind of thing that don't change which things are meant. */
  any: '(?:(?:me|us|the|all|of|my|our|mine|your|any|a|an|list|full|every|current|currently|existing|recent|latest|last|running|active|ongoing|open|there|here|this|these|entire|whole|other|health|upcoming|planned|scheduled|next|new|pending) )*',
  /** Words after it. */
  now: '(?: (?:list|please|here|now|right now|currently|at the moment|there|there are|are there|is there|do we have|do i have|do you have|you have|we have|i have|have i|for me|of mine|again|this channel|in this channel|page|overview|running|active))*',
  status: oneOf([...Object.keys(CHECK_STATUS_WORDS), 'critical', 'online', 'working', 'running'].join('|')),
  checks: oneOf(
    'checks|health ?checks|monitors|hosts|services|sites|websites|servers|endpoints|systems|urls|targets|components|apps',
  ),
  /** Ends something. */
  end: oneOf(
    'end|cancel|stop|finish|clear|remove|delete|lift|drop|disable|kill|abort|close|terminate|turn off|switch off|get rid of|take off|reset',
  ),
  address: '([^\\s@<>]+@[^\\s@<>]+\\.[^\\s@<>]+)',
  id: '([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})',
  person: '(@\\S+|[UW][A-Z0-9]{6,})',
  role: '(?:operators?|approvers?|admins?|administrators?|viewers?|owners?)',
}

function fill(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/\{(\w+)\}/g, (typed, name: string) => SETS[name] ?? typed)}$`, 'i')
}
