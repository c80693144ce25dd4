import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { runVerb, signalman } from '../command-line.ts'
import { startDeployment } from '../doctor/deployment.ts'

it('prints each finding with its fix as text, as JSON, or in a bundle without secrets', async () => {
  await using deployment = await startDeployment()
  const { variables, folder } = deployment
  const good = await signalman(['doctor'], { env: variables })
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toMatch(/^ok {6}configuration: No problems\.$/m)
  expect(good.stdout).toContain('No problems found.')
  const path = join(folder, 'bundle.json.gz')
  const env = { ...variables, SLACK_BOT_TOKEN: 'xoxb-canary' }
  const bad = await runVerb(['doctor', '--json', '--bundle', path], { env })
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.stdout).findings).toContainEqual(
    expect.objectContaining({ part: 'slack token', state: 'fault', fix: expect.any(String) }),
  )
  const bundle = gunzipSync(readFileSync(path)).toString()
  expect(JSON.parse(bundle)).toMatchObject({
    set: expect.arrayContaining(['SLACK_BOT_TOKEN', 'DATABASE_URL']),
  })
  for (const output of [bundle, bad.stdout])
    expect(output).not.toMatch(/canary|world-signing-secret|playground-token/)
})
