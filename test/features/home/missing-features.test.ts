import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../../databases/databases.ts'
import { MANIFEST } from '../../manifest.ts'
import { startWorld } from '../../world.ts'

it('Home names what is off because a permission was not granted, and nothing where all were', async () => {
  await using all = await startWorld()
  expect((await all.slack.member.openHome()).text).not.toContain('Off here')
  using folder = makeFolder()
  const manifestPath = join(folder.path, 'manifest.yml')
  writeFileSync(manifestPath, readFileSync(MANIFEST, 'utf8').replace('      - files:write\n', ''))
  await using world = await startWorld({ playground: { manifestPath } })
  expect((await world.slack.member.openHome()).text).toContain(
    'Off here, because a permission was not granted: exports, screenshots and page sources as files (files:write)',
  )
})
