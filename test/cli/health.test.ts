import { expect, it } from 'vitest'
import { runVerb, signalman } from '../command-line.ts'
import { startWorld } from '../world.ts'

it('says whether the app on this machine is running', async () => {
  await using world = await startWorld()
  const { port } = new URL(world.app.url)
  expect(await signalman(['health'], { env: { PORT: port } })).toMatchObject({ code: 0, stdout: 'Alive.\n' })
  expect(await runVerb(['health'], { env: { PORT: '9' } })).toMatchObject({ code: 1 })
  expect(await runVerb(['health'], { env: { PORT: port, HOST: '127.0.0.2' } })).toMatchObject({
    code: 1,
    stdout: `http://127.0.0.2:${port}/healthz doesn’t respond.\n`,
  })
})
