import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDriver } from '../src/driver.ts'
import { UNSUPPORTED_KEYS } from '../src/manifest/manifest.ts'
import { startPlayground } from '../src/program/start.ts'

const manifestPath = join(import.meta.dirname, 'manifest.yml')

it('warns about features in the manifest that the playground doesn’t support', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gaps-'))
  try {
    const path = join(folder, 'manifest.json')
    const features = { search: { search_function_callback_id: 'find' } }
    const manifest = {
      display_information: { name: 'Search' },
      features,
      settings: { socket_mode_enabled: true },
    }
    await writeFile(path, JSON.stringify(manifest))
    const warnings: string[] = []
    const addWarning = (text: string) => warnings.push(text)
    await using _ = await startPlayground({ manifestPath: path, signingSecret: 's', onWarning: addWarning })
    expect(warnings).toEqual([UNSUPPORTED_KEYS['features.search']])
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('warns after a request that the app hasn’t called the Web API yet, until it does', async () => {
  const warnings: string[] = []
  await using playground = await startPlayground({
    manifestPath,
    signingSecret: 's',
    appUrl: 'http://127.0.0.1:9',
    limits: { noCallsWarningMs: 1 },
    onWarning: (text) => warnings.push(text),
  })
  const { member } = createDriver(playground.url)
  expect((await member.state()).appWarning).toBeNull()
  await member.command('/hc', 'list', { until: () => true })
  const { appWarning } = await member.until('a warning', (now) => typeof now.appWarning === 'string')
  expect(appWarning).toContain("hasn't called the Web API yet")
  expect(warnings).toEqual([appWarning])
  await fetch(`${playground.apiUrl}api.test`, { method: 'POST' })
  expect((await member.state()).appWarning).toBeNull()
})
