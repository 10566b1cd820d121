/** VitePress's default theme, with the fonts of the reader's system and a few corrections. */
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
