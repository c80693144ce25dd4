import { describe, expect, it } from 'vitest'
import { HISTORIES } from './histories.ts'
import { play } from './history.ts'

describe.each(Object.entries(HISTORIES))('%s', (_, histories) => {
  it.each(Object.entries(histories))('%s', (__, { events, reads, watches, until }) => {
    expect(play(events, { ...(watches && { watches }), ...(until && { until }) })).toEqual(reads)
  })
})
