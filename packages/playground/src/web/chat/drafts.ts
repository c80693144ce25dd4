import { useCallback, useSyncExternalStore } from 'react'

const PREFIX = 'signalman.draft'
const listeners = new Set<() => void>()

/** The storage key of a draft: one per person, channel, and thread. */
export function draftKey(user: string, channel: string, threadTs: string | undefined): string {
  return [PREFIX, user, channel, threadTs ?? ''].join('/')
}

function readDraft(key: string): string {
  return sessionStorage.getItem(key) ?? ''
}

function writeDraft(key: string, text: string): void {
  if (text === '') sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, text)
  for (const listener of [...listeners]) listener()
}

/** Restores text that failed to send, ahead of anything that was typed since. */
export function restoreDraft(key: string, unsent: string): void {
  const typedSince = readDraft(key)
  writeDraft(key, typedSince === '' ? unsent : `${unsent}\n${typedSince}`)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The unsent text of a message field. It's kept when the page is reloaded or another channel is opened. */
export function useDraft(key: string): [text: string, write: (text: string) => void] {
  const text = useSyncExternalStore(subscribe, () => readDraft(key))
  return [text, useCallback((next: string) => writeDraft(key, next), [key])]
}
