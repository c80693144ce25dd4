import { expect, it } from 'vitest'
import { filesIn, textOf } from './source-files.ts'

const GROUNDS = ['packages/runtime', 'packages/slack', 'packages/durable']
const SOURCES = ['src', ...[...GROUNDS, 'packages/playground', 'packages/sandbox'].map((one) => `${one}/src`)]
const TESTS = ['test', 'packages/playground/test', 'packages/sandbox/test']

/** Module state that is safe although tests share processes, because it doesn't depend on the caller. */
const KEPT: Record<string, string> = {
  'packages/playground/src/document.ts': 'the document that was read last, beside its text',
  'packages/sandbox/src/checking/probe.ts': 'certificates that this machine trusts',
  'src/domain/command-names.ts': 'what the deployment calls its commands',
  'src/domain/zoned-time.ts': 'formats of time zones',
  'src/metrics/metrics.ts': 'what is measured of the process itself',
  'packages/durable/src/database/sqlite-reader.ts': 'statements, in a thread of its own',
  'packages/runtime/src/turns.ts': 'when this turn of the event loop began',
  'packages/slack/src/blocks/text.ts': 'the segmenter of letters, once one was needed',
}

it('keeps no state in modules, because tests start the app twice in one process', () => {
  const STATE =
    /^(?:export )?(?:let \w|const \w+(?:: [^=]+)? = new (?:Map|Set|LRUCache)(?:<.*>)?\((?:\)|\{))/m
  const keeping = SOURCES.flatMap(filesIn).filter((file) => STATE.test(textOf(file)))
  expect(keeping.filter((file) => !file.includes('/web/')).toSorted()).toEqual(Object.keys(KEPT).toSorted())
})

/** Unique names and keys may come from anywhere. What a test does must follow from its printed seed. */
it('uses seeded randomness in every test', () => {
  const unseeded = TESTS.flatMap(filesIn).filter(
    (file) =>
      !['test/random.ts', 'test/conventions.test.ts'].includes(file) &&
      /\bMath\.random\b|\brandomInt\b/.test(textOf(file)),
  )
  expect(unseeded).toEqual([])
})
