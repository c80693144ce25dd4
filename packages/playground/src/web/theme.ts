import { useEffect, useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'signalman.theme'
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

function readStoredTheme(): Theme {
  const value = localStorage.getItem(STORAGE_KEY)
  return value === 'light' || value === 'dark' ? value : 'system'
}

/** The chosen theme, stored in the browser, and a function that switches to the next one. */
export function useTheme(): { theme: Theme; nextTheme: () => void } {
  const [theme, setTheme] = useState(readStoredTheme)
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    localStorage.setItem(STORAGE_KEY, theme)
  }, [theme])
  return { theme, nextTheme: () => setTheme(NEXT[theme]) }
}
