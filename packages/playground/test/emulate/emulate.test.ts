import { beforeAll, describe, expect, it } from 'vitest'
import { countSharedFields, findTypeDifferences, getOutcome, runFlows, type Step } from './flows.ts'
import { startEmulateApi, startPlaygroundApi } from './slack-apis.ts'

/** The steps whose outcomes differ, as `playground, emulate`, each with the reason. */
const DIFFERENT_OUTCOMES: Record<string, [outcomes: string, reason: string]> = {
  'a broken block': [
    'invalid_blocks, ok',
    'Slack validates blocks; emulate stores blocks without validating them.',
  ],
  'a title that is too long': ['invalid_arguments, ok', "Slack validates views; emulate doesn't."],
  'a text that is too long': [
    'msg_too_long, ok',
    'Slack truncates it with a warning, as emulate does. The playground refuses it, so that no test passes with half a message.',
  ],
  'a reply to a missing message': [
    'thread_not_found, ok',
    'emulate accepts any timestamp. The playground refuses it, because replying to a missing message is a bug in the app.',
  ],
}

describe('the playground compared with emulate, an independent implementation of Slack’s Web API', () => {
  let pairs: { name: string; ours: Step; theirs: Step | undefined }[]
  beforeAll(async () => {
    await using playground = await startPlaygroundApi()
    await using emulate = await startEmulateApi()
    const [ours, theirs] = await Promise.all([runFlows(playground), runFlows(emulate)])
    pairs = ours.map((step, index) => ({ name: step.name, ours: step, theirs: theirs[index] }))
  })

  it('returns the same results, except for the listed steps', () => {
    const differing = pairs
      .map(({ name, ours, theirs }) => [name, getOutcome(ours), theirs ? getOutcome(theirs) : 'nothing'])
      .filter(([, ours, theirs]) => ours !== theirs)
      .map(([name, ours, theirs]) => [name, `${ours}, ${theirs}`])
    expect(Object.fromEntries(differing)).toEqual(
      Object.fromEntries(Object.entries(DIFFERENT_OUTCOMES).map(([name, [outcomes]]) => [name, outcomes])),
    )
    expect(pairs.length).toBeGreaterThan(40)
  })

  it('returns values of the same types in the same fields', () => {
    const stepsWithSameOutcome = pairs.flatMap(({ name, ours, theirs }) =>
      theirs && getOutcome(ours) === getOutcome(theirs)
        ? [{ name, ours: ours.answer, theirs: theirs.answer }]
        : [],
    )
    expect(
      stepsWithSameOutcome.flatMap(({ ours, theirs, name }) => findTypeDifferences(ours, theirs, name)),
    ).toEqual([])
    expect(
      stepsWithSameOutcome.reduce((sum, { ours, theirs }) => sum + countSharedFields(ours, theirs), 0),
    ).toBeGreaterThan(200)
  })
})
