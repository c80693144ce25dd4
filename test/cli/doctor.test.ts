import { expect, it } from 'vitest'
import { runVerb, signalman } from '../command-line.ts'
import { startDeployment } from '../doctor/deployment.ts'

it('prints each finding with its fix as text or as JSON, without secrets', async () => {
  await using deployment = await startDeployment()
  const { variables } = deployment
  const good = await signalman(['doctor'], { env: variables })
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toMatch(/^ok {6}configuration: No problems\.$/m)
  expect(good.stdout).toContain('No problems found.')
  const env = { ...variables, SLACK_BOT_TOKEN: 'xoxb-canary' }
  const bad = await runVerb(['doctor', '--json'], { env })
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.stdout).findings).toContainEqual(
    expect.objectContaining({ part: 'slack token', state: 'fault', fix: expect.any(String) }),
  )
  expect(bad.stdout).not.toMatch(/canary|world-signing-secret|playground-token/)
})
