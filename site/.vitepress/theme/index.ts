/** VitePress's default theme, with system fonts and the corrections in `style.css`. */
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
