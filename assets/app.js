// What makes the pages pleasant; all of them work without it.

// The error summary, or whatever asks for it, takes the focus.
document.querySelector("[data-focus]")?.focus();

// A value to copy gets a button that does.
for (const input of document.querySelectorAll("input[data-copy]")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "second";
	button.textContent = "Copy";
	button.addEventListener("click", async () => {
		input.select();
		try {
			await navigator.clipboard.writeText(input.value);
			button.textContent = "Copied";
		} catch {
			button.textContent = "Press Ctrl+C";
		}
	});
	input.after(button);
}

// A form is sent once, however often its button is pressed.
for (const form of document.querySelectorAll("form[method=post]")) {
	form.addEventListener("submit", (event) => {
		if (form.dataset.sent) event.preventDefault();
		form.dataset.sent = "yes";
	});
}
addEventListener("pageshow", () => {
	for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
