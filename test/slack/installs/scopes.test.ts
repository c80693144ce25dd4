import { describe, expect, it } from 'vitest'
import { readManifest } from '../../../src/playground/manifest.ts'
import { NEEDED_EVENTS, SCOPES } from '../../../src/slack/installs/scopes.ts'

const manifest = readManifest(new URL('../../../manifest.yml', import.meta.url).pathname)

describe('manifest.yml', () => {
  it('asks for the scopes that the code uses, and no others', () => {
    expect([...manifest.scopes].sort()).toEqual(Object.keys(SCOPES).sort())
  })

  it('subscribes to the events that the app cannot do without', () => {
    expect(manifest.botEvents).toEqual(expect.arrayContaining([...NEEDED_EVENTS]))
  })

  it('may be installed for a whole organization', () => {
    expect(manifest.isOrgReady).toBe(true)
  })
})
