/** Makes screen readers read a text. @param {string} text */
export function say(text) {
  const said = document.getElementById('said');
  if (said) said.textContent = text;
}
