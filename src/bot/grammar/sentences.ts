import { CHECK_SENTENCES } from './check-sentences.ts'
import { NOUN_SENTENCES } from './nouns.ts'
import { OTHER_SENTENCES } from './other-sentences.ts'
import type { Sentence } from './sentence.ts'

export { NAMED_SENTENCES } from './check-sentences.ts'
export { NOUN_SENTENCES } from './nouns.ts'

/**
 * Sentences that people type instead of a verb. A sentence never acts: one that means a read runs, and any other becomes a button.
 * Matched against the line without its flags, so that these stay.
 */
export const SENTENCES: readonly Sentence[] = [...NOUN_SENTENCES, ...CHECK_SENTENCES, ...OTHER_SENTENCES]

/** A line that means the same without some words. */
interface Rewrite {
  readonly pattern: RegExp
  readonly text: string
}

const ASKING =
  "(?:(?:can|could|would|will) (?:you|we|u|someone|anyone|somebody)|(?:i|we)(?:'d| would| should)? (?:like|want|need|have)(?: you)? to|i wanna|i(?:'m| am) (?:trying|looking) to|let(?:'s| us)|let me (?!know)|go ahead and|try to|help me(?: to)?|i(?:'d| would) love to|(?:is it|would it be|is there a way) (?:possible )?to|do me a favou?r and|would you mind|kindly|please|pls|plz|just|now|quickly|maybe|also|and|then|so|ok|okay|hey|hello there|yo|dear)"

/** Words that say only that someone asks, and words that stand for a flag. Tried in order, until none fits. */
export const REWRITES: readonly Rewrite[] = [
  { pattern: /^(?:@?signalman|@?bot)[,:]? (.+)$/i, text: '$1' },
  { pattern: /^(?:hi|hello|hey|yo)(?:[,!]| there[,!]?| @?signalman,?| bot,?| team,?) (.+)$/i, text: '$1' },
  { pattern: new RegExp(`^(?:${ASKING},? )+(.+)$`, 'i'), text: '$1' },
  {
    pattern:
      /^(?:(?:tell|show|remind) (?:me|us)|do (?:you|we) know|any idea|i wonder|does (?:anyone|anybody) know)(?: please)? ((?:what|which|who|how|when|why|if|is|are|whether|where)\b.+)$/i,
    text: '$1',
  },
  {
    pattern:
      /^(.+?),? (?:on|in|for|from|at|of|within) (?:the )?(production|ote)(?: (?:env|environment|system))?$/i,
    text: '$1 --env $2',
  },
  {
    pattern: /^(.+?),? (?:on|in|for|from|at|within) (?:the )?prod(?: (?:env|environment|system))?$/i,
    text: '$1 --env production',
  },
  {
    // `withdraw my order 12`
    pattern:
      /^([a-z-]+) (?:the|our|my|that|this) (?:certificate |cert )?(?:order|request)(?: number| no\.?)? (#?\d+)\b(.*)$/i,
    text: '$1 $2$3',
  },
  {
    // `delete the Shop cache check`, `mute our wiki for 2h`
    pattern:
      /^([a-z-]+)(?: (?:of|for|on|about))? (?:the|our|my|that|this) (?!channel|last|past|next|week|month|year|other)(.+?)(?: (?:health )?(?:checks?|monitors?|services?|sites?|hosts?|websites?|servers?))?((?: (?:for|until|till|from|at|tomorrow|today|tonight|yesterday|last|this|since|during|\d|--).*)?)$/i,
    text: '$1 $2$3',
  },
  {
    pattern: /^(show|list|get|find|ls) me (?:all (?:of )?(?:the )?|the |a list of (?:the |all )?|my )?(.+)$/i,
    text: '$1 $2',
  },
  { pattern: /^(.+?),? (?:sorted|sort|ordered|order)(?: by)? (name|uuid)$/i, text: '$1 --sort $2' },
  { pattern: /^((?:list|ls)\b.*?) (?:top|first|limit|max) (\d+)(.*)$/i, text: '$1$3 --limit $2' },
  { pattern: /^(list|show|get|ls) (?:of|all of|all the|the list of|list of) (.+)$/i, text: '$1 $2' },
  {
    pattern:
      /^(.+?)(?:,? (?:thank you|many thanks|thanks a lot|thanks in advance|will you|can you|would you|could you|for me|if you can|if possible|asap|right away|immediately|pretty please))+$/i,
    text: '$1',
  },
]
