import { expect, it } from 'vitest'
import { runVerb, signalman } from '../command-line.ts'
import { makeFolder } from '../databases/databases.ts'
import { startDeployment } from '../doctor/deployment.ts'

it('prints each finding with its fix, what is wrong first, as text or as JSON, without secrets', async () => {
  await using deployment = await startDeployment()
  const { variables } = deployment
  const good = await signalman(['doctor'], { env: variables })
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toMatch(/^No problems found\.\n/)
  expect(good.stdout).toMatch(/^\d\d things work: configuration, /m)
  expect(good.stdout).not.toContain('It matches Slack’s.')
  const env = { ...variables, SLACK_BOT_TOKEN: 'xoxb-canary' }
  const bad = await runVerb(['doctor', '--json'], { env })
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.stdout).findings).toContainEqual(
    expect.objectContaining({ part: 'slack token', state: 'fault', fix: expect.any(String) }),
  )
  expect(bad.stdout).not.toMatch(/canary|world-signing-secret|playground-token/)
  const { stdout } = await runVerb(['doctor'], { env })
  expect(stdout).toMatch(
    /^1 problem found\. After you change a variable, restart the app\.\nFAIL {4}slack token: [^\n]*\n {8}→ /,
  )
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d+ things work: /)
})

it.each(['doctor', 'serve'])('says in a folder without .env that there is none: %s', async (verb) => {
  using folder = makeFolder()
  const { code, stdout, stderr } = await signalman([verb], { cwd: folder.path })
  expect(code).toBe(1)
  expect(`${stdout}${stderr}`).toContain('This folder has no .env, and no variable of Signalman is set.')
})
