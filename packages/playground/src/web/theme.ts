import { useEffect, useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const STORED = 'signalman.theme'
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

function stored(): Theme {
  const value = localStorage.getItem(STORED)
  return value === 'light' || value === 'dark' ? value : 'system'
}

/** Light, dark, or as in the system; the browser remembers it. */
export function useTheme(): { theme: Theme; turn: () => void } {
  const [theme, setTheme] = useState(stored)
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    localStorage.setItem(STORED, theme)
  }, [theme])
  return { theme, turn: () => setTheme(NEXT[theme]) }
}
