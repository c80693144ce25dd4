import { readManifest } from '@signalman/playground'
import { completeArguments, readHint } from '@signalman/playground/usage-hints'
import { describe, expect, it } from 'vitest'
import { MANIFEST } from './manifest.ts'

describe('the usage hints of manifest.yml', () => {
  const { commands } = readManifest(MANIFEST)

  it('can be read as what to type after each command', () => {
    expect(commands.filter(({ usageHint }) => readHint(usageHint).length === 0)).toEqual([])
  })

  it('complete what is being typed', () => {
    expect(completeArguments('/hc al', 6, commands)?.suggestions).toMatchObject([
      { label: 'alerts', hint: 'NAME' },
    ])
  })
})
