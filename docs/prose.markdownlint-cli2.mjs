import searchReplace from 'markdownlint-rule-search-replace'

/** What nobody in this field says, and what to write instead. Code and code blocks aren't searched. */
const INSTEAD = [
  [
    '(?:is|are|was|were|being|been|be) told(?! apart)',
    'say who notifies whom: "Signalman posts in the channel"',
  ],
  ['heard? of (?:it|them|this|that)', 'is notified'],
  ['(?:is|are|was|were) no (?:longer )?(?:[a-z-]+)(?=[.,:;])', 'isn’t a …'],
  ['for ever', 'forever, indefinitely'],
  ['whom|whereof|whereby|thereof|therein|thereby|hence', 'a plainer word: who, which, so'],
  ['of which (?:a|one|two|some|none|the)', 'split the sentence'],
  [
    'stands? (?:in|on|there|beside|behind|below|above|for) (?:the|a|an|its|it)',
    'is in, is shown, comes after',
  ],
  ['(?:is|are) (?:had|said|asked for)', 'say who has, says or asks for it'],
  ['(?:is|are) to be', 'must be, will be'],
  ['comes? of (?:it|them|that)|(?:became|becomes|become) of', 'the result, the outcome'],
  ['(?:goes|go|gone|went) on(?= (?:with|from|at|later|where))', 'continue'],
  ['(?:are|is) kept back', 'is hidden'],
  ['whoever', 'the person who, anyone who'],
  ['somebody', 'someone'],
  ['(?:holds|hold) (?:that|good|everywhere|still)', 'say what is true or tested'],
  ['(?<!many |checks |running )at once', 'immediately, right away'],
  ['by itself', 'automatically, on its own'],
  ['(?:that|which) there (?:is|are|was)', 'drop it'],
  ['behaviour|colour|learnt|licence|organisation', 'American spelling'],
]

/** Finds sentences that nobody would say: `npm run prose`. `.ci/run` prints them, but doesn’t fail: a person judges. */
export default {
  globs: ['*.md', 'docs/*.md', 'packages/*/README.md', 'packages/*/docs/*.md'],
  customRules: [searchReplace],
  noProgress: true,
  config: {
    default: false,
    'search-replace': {
      rules: INSTEAD.map(([phrase, instead], index) => ({
        name: `instead-${index + 1}`,
        message: instead,
        searchPattern: `/\\b(?:${phrase.replaceAll(' ', '\\s+')})\\b/gi`,
        skipCode: true,
      })),
    },
  },
}
