import { expect, it } from 'vitest'
import { pause } from '../src/pause.ts'

it('resolves when the time is up or the signal aborts, and never rejects', async () => {
  const stop = new AbortController()
  await pause(1, stop.signal)
  await pause(-5, stop.signal)
  const long = pause(3_600_000, stop.signal)
  stop.abort(new Error('no more'))
  await long
  await pause(3_600_000, stop.signal)
  expect(stop.signal.aborted).toBe(true)
})
